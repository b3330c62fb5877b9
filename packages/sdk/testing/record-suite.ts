import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exampleData } from '../src/example-data.js';
import { type EventDataByType, type EventType, type Plain, type VerifiedEvent } from '../src/events.js';
import { type RecordBook } from '../src/record-book.js';

export interface BookUnderTest {
  readonly book: RecordBook;
  /** What is held of one person: `provider/metric/item` and the revision, sorted. */
  held(userId: string): Promise<readonly { readonly at: string; readonly localDate: string; readonly revision: number }[]>;
}

let made = 0;

export function eventOf<T extends EventType>(type: T, data: Partial<Plain<EventDataByType[T]>>): VerifiedEvent {
  const at = '2026-11-30T07:12:44.031Z';
  const envelope = { id: `evt_${++made}`, sentAt: new Date(at), timestamp: at, deliveryAttempt: 1, known: true, type };
  return { ...envelope, data: { ...exampleData[type], ...data } } as VerifiedEvent;
}

/** What every record book must survive: any order, any repetition, and an erased person's late values. */
export function provesRecordBook(name: string, underTest: () => BookUnderTest, numRuns = 100): void {
  const someone = () => ({ id: `usr_${++made}`, externalId: 'x' });
  const night = { recordId: 'rec_1', localDate: '2026-11-30' };

  describe(name, () => {
    it('keeps the higher revision, whichever comes last', async () => {
      const { book, held } = underTest();
      const user = someone();
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 20 }))).toBe('applied');
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 19 }))).toBe('stale');
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 20 }))).toBe('stale');
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 21 }))).toBe('applied');
      expect(await held(user.id)).toEqual([{ at: 'oura/steps/2026-11-29', localDate: '2026-11-29', revision: 21 }]);
    });

    it('keeps one value for each person, provider, metric, source and day', async () => {
      const { book, held } = underTest();
      const [user, other] = [someone(), someone()];
      const source = exampleData['daily.updated'].source;
      for (const data of [
        { user },
        { user, metric: 'distance' as const },
        { user, localDate: '2026-11-28' },
        { user, provider: 'whoop' },
        { user, source: { ...source, id: 'src_2' } },
        { user: other },
      ]) {
        expect(await book.applyIfNewer(eventOf('daily.updated', { revision: 1, ...data }))).toBe('applied');
      }
      expect(await held(user.id)).toHaveLength(5);
      expect(await held(other.id)).toHaveLength(1);
    });

    it('moves a night to its new day and does not keep it on the old one', async () => {
      const { book, held } = underTest();
      const user = someone();
      await book.applyIfNewer(eventOf('sleep.updated', { user, ...night, revision: 1 }));
      await book.applyIfNewer(
        eventOf('sleep.updated', { user, ...night, localDate: '2026-12-01', previousLocalDate: '2026-11-30', revision: 2 }),
      );
      expect(await held(user.id)).toEqual([{ at: 'oura/sleep_session/rec_1', localDate: '2026-12-01', revision: 2 }]);
    });

    it('does not let an older value bring a deleted record back, and lets a newer one', async () => {
      const { book, held } = underTest();
      const user = someone();
      await book.applyIfNewer(eventOf('record.deleted', { user, revision: 5 }));
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 4 }))).toBe('stale');
      expect(await held(user.id)).toEqual([]);
      await book.applyIfNewer(eventOf('sleep.updated', { user, ...night, revision: 6 }));
      await book.applyIfNewer(eventOf('record.deleted', { user, metric: 'sleep_session', recordId: 'rec_1', revision: 7 }));
      expect(await held(user.id)).toEqual([]);
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 8, change: 'restored' }))).toBe('applied');
      expect(await held(user.id)).toHaveLength(1);
    });

    it('knows a workout and a measurement by their ids, whatever day they move to', async () => {
      const { book, held } = underTest();
      const user = someone();
      for (const type of ['workout.updated', 'measurement.updated'] as const) {
        await book.applyIfNewer(eventOf(type, { user, recordId: 'rec_1', localDate: '2026-11-28', revision: 1 }));
        await book.applyIfNewer(eventOf(type, { user, recordId: 'rec_1', localDate: '2026-11-29', revision: 2 }));
      }
      expect(await held(user.id)).toEqual([
        { at: 'oura/blood_pressure/rec_1', localDate: '2026-11-29', revision: 2 },
        { at: 'oura/workout/rec_1', localDate: '2026-11-29', revision: 2 },
      ]);
      await book.applyIfNewer(
        eventOf('record.deleted', { user, metric: 'blood_pressure', kind: 'measurement', recordId: 'rec_1', revision: 3 }),
      );
      expect((await held(user.id)).map(({ at }) => at)).toEqual(['oura/workout/rec_1']);
    });

    it('keeps the series of a day, that of a workout and a measurement of the same metric apart, and removes each by itself', async () => {
      const { book, held } = underTest();
      const user = someone();
      const heart = { user, metric: 'heart_rate', localDate: '2026-11-29' } as const;
      await book.applyIfNewer(eventOf('series.updated', { ...heart, revision: 1 }));
      await book.applyIfNewer(eventOf('series.updated', { ...heart, workoutId: 'rec_1', revision: 2 }));
      await book.applyIfNewer(eventOf('measurement.updated', { ...heart, recordId: 'rec_1', revision: 3 }));
      expect((await held(user.id)).map(({ at, revision }) => [at, revision])).toEqual([
        ['oura/heart_rate/rec_1', 3],
        ['oura/heart_rate/series:2026-11-29', 1],
        ['oura/heart_rate/series:rec_1', 2],
      ]);
      await book.applyIfNewer(eventOf('record.deleted', { ...heart, kind: 'series', recordId: 'rec_1', revision: 4 }));
      expect(await held(user.id)).toHaveLength(2);
      await book.applyIfNewer(eventOf('record.deleted', { ...heart, kind: 'series', recordId: null, revision: 5 }));
      await book.applyIfNewer(eventOf('record.deleted', { ...heart, kind: 'measurement', recordId: 'rec_1', revision: 6 }));
      expect(await held(user.id)).toEqual([]);
      expect(await book.applyIfNewer(eventOf('series.updated', { ...heart, revision: 4 }))).toBe('stale');
    });

    it('never brings an erased person back, by whatever revision', async () => {
      const { book, held } = underTest();
      const [user, other] = [someone(), someone()];
      await book.applyIfNewer(eventOf('daily.updated', { user, revision: 1 }));
      await book.applyIfNewer(eventOf('daily.updated', { user: other, revision: 2 }));
      expect(await book.applyIfNewer(eventOf('user.erased', { user, revision: 3 }))).toBe('applied');
      expect(await book.applyIfNewer(eventOf('user.erased', { user, revision: 3 }))).toBe('applied');
      for (const revision of [2, 4, 1_000_000]) {
        expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision }))).toBe('erased');
        expect(await book.applyIfNewer(eventOf('record.deleted', { user, revision }))).toBe('erased');
      }
      expect(await held(user.id)).toEqual([]);
      expect(await held(other.id)).toHaveLength(1);
    });

    it('never brings back a person who was erased before anything was held of them', async () => {
      const { book, held } = underTest();
      const user = someone();
      await book.applyIfNewer(eventOf('user.erased', { user }));
      expect(await book.applyIfNewer(eventOf('daily.updated', { user, revision: 99 }))).toBe('erased');
      expect(await held(user.id)).toEqual([]);
    });

    it('leaves a person erased when values arrive at the same moment as the erasure', async () => {
      const { book, held } = underTest();
      for (let round = 0; round < 20; round++) {
        const user = someone();
        await book.applyIfNewer(eventOf('daily.updated', { user, revision: 1 }));
        const days = Array.from({ length: 6 }, (_, day) =>
          eventOf('daily.updated', { user, localDate: `2026-11-0${day + 1}`, revision: day + 2 }),
        );
        await Promise.all(
          [...days.slice(0, 3), eventOf('user.erased', { user }), ...days.slice(3)].map((event) => book.applyIfNewer(event)),
        );
        expect(await held(user.id)).toEqual([]);
      }
    });

    it('has no use for events that carry no record', async () => {
      const { book } = underTest();
      expect(await book.applyIfNewer(eventOf('connection.created', {}))).toBe('no-record');
      expect(await book.applyIfNewer({ ...eventOf('endpoint.test', {}), known: false, type: 'moon.risen', data: {} })).toBe('no-record');
    });

    it('ends in the same state after any order and any repetition of the same events', async () => {
      const { book, held } = underTest();
      const step = fc.record({ item: fc.integer({ min: 1, max: 3 }), night: fc.boolean(), deleted: fc.boolean() });
      const history = fc.array(step, { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(history, fc.infiniteStream(fc.nat()), fc.boolean(), async (steps, chance, ends) => {
          const told = (user: { id: string; externalId: string }) => [
            ...steps.map(({ item, night: sleep, deleted }, index) => {
              const key = sleep ? { recordId: `rec_${item}`, localDate: '2026-11-30' } : { localDate: `2026-11-0${item}` };
              const common = { user, revision: index + 1, ...key };
              if (deleted)
                return eventOf('record.deleted', {
                  ...common,
                  metric: sleep ? 'sleep_session' : 'steps',
                  recordId: sleep ? `rec_${item}` : null,
                });
              return sleep ? eventOf('sleep.updated', common) : eventOf('daily.updated', common);
            }),
            ...(ends ? [eventOf('user.erased', { user })] : []),
          ];
          const [inOrder, shuffled] = [someone(), someone()];
          for (const event of told(inOrder)) await book.applyIfNewer(event);
          const events = told(shuffled);
          const again = [...events, ...events].map((event) => ({ event, at: chance.next().value as number })).sort((a, b) => a.at - b.at);
          for (const { event } of again) await book.applyIfNewer(event);
          expect(await held(shuffled.id)).toEqual(await held(inOrder.id));
        }),
        { numRuns },
      );
    });
  });
}
