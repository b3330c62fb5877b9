import { describe, expect, it } from '@jest/globals';
import type { KnownEvent } from './events.js';
import { exampleData } from './example-data.js';
import { isNewer, recordChangeOf } from './record-change.js';

const envelope = { known: true, id: 'evt_1', sentAt: new Date(0), timestamp: '2026-11-29T00:00:00.000Z', deliveryAttempt: 1 } as const;
const event = (type: string, data: object) => ({ ...envelope, type, data }) as unknown as KnownEvent;
const of = (type: string, data: object) => {
  const change = recordChangeOf(event(type, data));
  if (change === undefined || change.is === 'erase') throw new Error('It has no key');
  return change;
};

const view = { view: 'resolved', resolution: { picked: null, rule: 'priority' } };
const oura = { provider: 'oura', source: { id: 'src_ring', type: 'ring', manufacturer: null, model: null } };
const garmin = { provider: 'garmin', source: { id: 'src_watch', type: 'watch', manufacturer: null, model: null } };
const deletion = (kind: string, more: object) => ({ ...exampleData['record.deleted'], kind, ...view, ...more });

describe('the key of a record in the resolved view', () => {
  it.each([
    ['daily.updated', 'daily_total', { metric: 'steps', localDate: '2026-11-29' }, null],
    ['measurement.updated', 'measurement', { metric: 'body_weight', localDate: '2026-11-29' }, 'm-1'],
    ['series.updated', 'series', { metric: 'heart_rate', localDate: '2026-11-29', workoutId: null }, null],
  ] as const)(
    'of %s stays the same when another provider stands for the day, and its deletion has it too',
    (type, kind, place, recordId) => {
      const shown = (whose: object, id: string | null) =>
        of(type, { ...exampleData[type], ...view, ...place, ...whose, kind, ...(id && { recordId: id }) });
      const first = shown(oura, recordId).key;
      expect(shown(garmin, recordId && 'm-2').key).toEqual(first);
      expect(of('record.deleted', deletion(kind, { ...place, ...garmin, recordId: recordId && 'm-2' }))).toMatchObject({
        is: 'remove',
        key: first,
      });
      // The source itself is another record.
      expect(of(type, { ...exampleData[type], ...place, ...oura, kind }).key).not.toEqual(first);
    },
  );

  it('of a session is that of the one that stands for it, on whatever day, and not of another with the same id', () => {
    const night = (more: object) => of('sleep.updated', { ...exampleData['sleep.updated'], ...view, ...oura, recordId: '7', ...more }).key;
    expect(night({ localDate: '2026-11-30' })).toEqual(night({ localDate: '2026-11-29' }));
    expect(night(garmin)).not.toEqual(night({}));
    expect(of('record.deleted', deletion('session', { metric: 'sleep_session', ...oura, recordId: '7' })).key).toEqual(night({}));
  });
});

describe('what is newer', () => {
  it('is a higher revision, and what is not held yet', () => {
    expect([isNewer(undefined, 1), isNewer(1, 2), isNewer(2, 2), isNewer(3, 2)]).toEqual([true, true, false, false]);
  });
});
