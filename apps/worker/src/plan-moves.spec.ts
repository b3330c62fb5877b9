import { describe, expect, it } from '@jest/globals';
import type { DayTaken, StoredRow } from '@tributary/storage';
import { planMoves } from './plan-moves.js';
import type { Redated } from './redate-row.js';

const row = (localDate: string, version: number, metric = 'steps') =>
  ({ table: 'daily_rollup', metric, sourceId: 'src', localDate, state: { version } }) as unknown as StoredRow;
const move = (from: string, to: string, version = 10, metric = 'steps'): Redated => ({
  before: row(from, version, metric),
  after: row(to, version + 1, metric),
});
const taken = (localDate: string, version: number, rest: Partial<DayTaken> = {}): DayTaken => ({
  metric: 'steps',
  sourceId: 'src',
  localDate,
  version,
  deleted: false,
  dateBasis: 'utc_assumed',
  ...rest,
});
const outcome = (redated: readonly Redated[], days: readonly DayTaken[] = []) => {
  const { stay, arrive, leave } = planMoves(redated, days);
  return {
    stay: stay.map(({ localDate }) => localDate),
    arrive: arrive.map(({ before, after }) => `${before.localDate}→${after.localDate} v${after.state.version}`),
    leave: leave.map(({ before, to }) => `${before.localDate}→${to.localDate}`),
  };
};

describe('daily values whose day moved', () => {
  it('leave one key and reach another', () => {
    expect(outcome([move('14', '15')])).toEqual({ stay: [], arrive: ['14→15 v11'], leave: ['14→15'] });
  });

  it('stay where only the ground is better', () => {
    expect(outcome([move('14', '14')])).toEqual({ stay: ['14'], arrive: [], leave: [] });
  });

  it('move up: a key that one leaves and the next reaches is written over what stands there, and not marked as gone', () => {
    const all = [move('13', '14', 10), move('14', '15', 90)];
    expect(outcome(all, [taken('14', 90)])).toEqual({ stay: [], arrive: ['13→14 v91', '14→15 v91'], leave: ['13→14'] });
  });

  it('come to one day: the newer one counts, and both leave', () => {
    const both = [move('14', '15', 10), move('16', '15', 20)];
    expect(outcome(both)).toEqual({ stay: [], arrive: ['16→15 v21'], leave: ['14→15', '16→15'] });
    expect(outcome([...both].reverse()).arrive).toEqual(['16→15 v21']);
  });

  it.each([
    ['one that knows its day', taken('15', 1, { dateBasis: 'provider_date' }), []],
    ['a newer one that was placed there', taken('15', 50), []],
    ['an older one that was placed there', taken('15', 5), ['14→15 v11']],
    ['the mark of one that is gone', taken('15', 50, { deleted: true, dateBasis: 'provider_date' }), ['14→15 v51']],
  ])('meet %s there', (_who, there, arrive) => {
    expect(outcome([move('14', '15')], [there])).toEqual({ stay: [], arrive, leave: ['14→15'] });
  });

  it('know nothing of other metrics', () => {
    expect(outcome([move('14', '15'), move('15', '16', 10, 'distance')]).leave).toEqual(['14→15', '15→16']);
  });
});
