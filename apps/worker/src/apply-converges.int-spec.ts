import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DailyRecord } from '@tributary/domain';
import fc from 'fast-check';
import { type Look, Looks } from '../testing/looks.js';
import { heartRecord } from '../testing/records.js';
import { Workbench } from '../testing/workbench.js';
import { ApplyQueue } from './apply-queue.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});

const HOUR = 60;
const metrics = ['steps', 'distance', 'floors_climbed'] as const;

/** What the provider shows of one day in one of its states, one state an hour. */
interface Shown {
  readonly value: number;
  readonly reach: number;
}

const shown = fc.record({ value: fc.integer({ min: 1, max: 4 }), reach: fc.nat(3) });
const history = fc
  .record({
    states: fc.array(shown, { minLength: 1, maxLength: 5 }),
    versioned: fc.boolean(),
    looks: fc.array(fc.record({ state: fc.nat(4), minute: fc.nat(50), tookS: fc.integer({ min: 1, max: 1_200 }) }), {
      minLength: 1,
      maxLength: 7,
    }),
  })
  .chain(({ looks, ...rest }) =>
    fc.record({
      one: fc.shuffledSubarray([...looks, ...looks], { minLength: looks.length * 2 }),
      other: fc.shuffledSubarray([...looks, ...looks], { minLength: looks.length * 2 }),
      rest: fc.constant(rest),
    }),
  );

const recordsOf = ({ value, reach }: Shown, version: number | undefined, noon: number): DailyRecord[] => {
  const { samples: _samples, workoutId: _workoutId, ...dated } = heartRecord([]);
  const coverageEnd = noon + reach * 60_000;
  return metrics.map((metric) => ({ ...dated, kind: 'daily', metric, value, providerRecordId: 'doc', version, coverageEnd }));
};

interface Told {
  readonly metric: string;
  readonly revision: number;
  readonly value: number;
}

describe('reads of a real history, in any order and any copies, then those that settle it', () => {
  it('C025 C027 end in the provider’s truth, in one and the same row, whose last event says what it holds', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ one, other, rest: { states, versioned } }) => {
        const ends = await Promise.all(
          [one, other].map(async (order) => {
            const looks = new Looks(bench, await bench.person());
            const queue = new ApplyQueue(bench.db.pool, { transactions: 2, reads: 16, rows: 1_000 });
            const state = (index: number) => {
              const at = index % states.length;
              return recordsOf(states[at] as Shown, versioned ? at + 1 : undefined, looks.noon);
            };
            const look = async (id: string, how: Look, index: number) =>
              queue.add(await looks.read({ ...how, window: { windowKind: 'object', windowStart: id, windowEnd: id } }, ...state(index)));
            // Several at once, so that some share a transaction and some wait for another.
            await Promise.all(
              order.map(({ state: index, minute, tookS }, n) => {
                const at = (index % states.length) * HOUR + Math.min(minute, 59 - tookS / 60);
                return look(`w${n}`, { at, tookMs: tookS * 1_000 }, index);
              }),
            );
            // What is in doubt is read again, each time later, as the windows ask for.
            for (let n = 0; n < 6; n += 1) {
              await look('doc', { at: (states.length + 20 * (n + 1)) * HOUR }, states.length - 1);
              if ((await looks.again()) === undefined) break;
            }
            expect(await looks.again()).toBeUndefined();
            return { looks, truth: states.at(-1) as Shown };
          }),
        );
        for (const { looks, truth } of ends) {
          const rows = await bench.rows(
            'select metric, value, unsettled, doubt, revision from daily_rollup where tenant_id = $1',
            looks.person,
          );
          expect(rows.map((row) => [row['value'], row['unsettled'], row['doubt']])).toEqual(metrics.map(() => [truth.value, false, null]));
          const events = await bench.events(looks.person);
          const revisions = events.map(({ revision }) => revision);
          expect(revisions).toEqual(revisions.map((_, at) => at + 1));
          // A customer keeps what has the highest revision, in whatever order it comes.
          const kept = new Map<string, Told>();
          for (const { data, revision } of events.reverse()) {
            const metric = String(data['metric']);
            const { value } = data['record'] as { value: number };
            if (revision > (kept.get(metric)?.revision ?? 0)) kept.set(metric, { metric, revision, value });
          }
          for (const row of rows) {
            expect(kept.get(String(row['metric']))).toEqual({ metric: row['metric'], revision: row['revision'], value: row['value'] });
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});
