// doubles: none but the providers: the sandbox over real HTTP. Ingest runs as it does in production; the worker's parts without a queue.
// oracles: a fresh read of what the stand-in holds, two values of its own truth, and what a customer makes of the events in any order.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { differences, heldState, trueState } from './compare.js';
import { type UnderTest, providersUnderTest } from './providers-under-test.js';
import { WorldUnderTest, type PersonUnderTest } from './world-under-test.js';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 6);
/** Printed with every failure; given again, it tells the same histories. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** What becomes of one webhook: how often it comes, and whether only at the end. */
interface Fate {
  readonly copies: number;
  readonly late: boolean;
}

type Step =
  | {
      readonly do: 'put' | 'delete';
      readonly slot: number;
      readonly variant: number;
      readonly fates: readonly Fate[];
      readonly work: boolean;
    }
  | { readonly do: 'leave'; readonly tell: boolean }
  | { readonly do: 'fault'; readonly status: number | 'reset'; readonly times: number };

interface History {
  readonly steps: readonly Step[];
  /** The order in which what is late comes. */
  readonly shuffle: readonly number[];
}

function histories(slots: number, swept: boolean): fc.Arbitrary<History> {
  const fate = fc.record({ copies: fc.integer({ min: swept ? 0 : 1, max: 3 }), late: fc.boolean() });
  const change = (kind: 'put' | 'delete') =>
    fc.record({
      do: fc.constant(kind),
      slot: fc.nat(slots - 1),
      variant: fc.nat(3),
      fates: fc.array(fate, { minLength: 3, maxLength: 3 }),
      work: fc.boolean(),
    });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: change('put') },
    { weight: swept ? 2 : 0, arbitrary: change('delete') },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), tell: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('fault' as const),
        status: fc.constantFrom<number | 'reset'>(500, 503, 'reset'),
        times: fc.integer({ min: 1, max: 3 }),
      }),
    },
  );
  return fc.record({
    steps: fc.array(step, { minLength: 3, maxLength: 10 }),
    shuffle: fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
  });
}

let world: WorldUnderTest;
beforeAll(async () => {
  world = await WorldUnderTest.open();
});
afterAll(async () => {
  await world.close();
});
beforeEach(async () => {
  await world.backToNow();
});

async function live(who: PersonUnderTest, { slots, stable, swept }: UnderTest, { steps, shuffle }: History): Promise<void> {
  for (const { collection, id, variants } of stable) await who.put(collection, id, variants[0] as object, !swept);
  for (const request of who.world.takePending()) await who.world.handOver(request);
  await who.work();
  const there = new Set<number>();
  const late: Awaited<ReturnType<typeof who.world.takePending>> = [];
  for (const step of steps) {
    if (step.do === 'fault') await who.control('PUT', '/faults', { failReads: { status: step.status, times: step.times } });
    else if (step.do === 'leave') {
      await who.leave();
      if (step.tell) await who.work();
      await who.comeBack();
    } else {
      const slot = slots[step.slot] as (typeof slots)[number];
      if (step.do === 'delete' && !there.has(step.slot)) continue;
      if (step.do === 'delete') await who.remove(slot.collection, slot.id);
      else await who.put(slot.collection, slot.id, slot.variants[step.variant % slot.variants.length] as object, true);
      if (step.do === 'delete') there.delete(step.slot);
      else there.add(step.slot);
      for (const [n, request] of who.world.takePending().entries()) {
        const { copies, late: isLate } = step.fates[n % step.fates.length] as Fate;
        for (let copy = 0; copy < copies; copy += 1) {
          if (isLate) late.push(request);
          else await who.world.handOver(request);
        }
      }
      if (step.work) await who.work();
    }
  }
  await who.control('DELETE', '/faults');
  const order = late.map((request, n) => ({ request, at: shuffle[n % shuffle.length] as number }));
  for (const { request } of order.sort((a, b) => a.at - b.at)) await who.world.handOver(request);
  await who.settle();
  for (let sweep = 0; sweep < 3; sweep += 1) await who.sweep();
}

/** A customer that keeps what has the higher revision, whatever comes first. */
async function customerState(who: PersonUnderTest): Promise<Map<string, { deleted: boolean; revision: number }>> {
  const held = new Map<string, { deleted: boolean; revision: number }>();
  for (const { type, data } of (await who.world.bench.events(who.person)).reverse()) {
    if (data['metric'] === undefined) continue;
    const revision = Number(data['revision']);
    const sourceId = (data['source'] as { id: string }).id;
    const key = JSON.stringify([data['metric'], sourceId, data['recordId'] ?? data['workoutId'] ?? data['localDate']]);
    const before = held.get(key);
    if (before === undefined || before.revision < revision) held.set(key, { deleted: type === 'record.deleted', revision });
  }
  return held;
}

/** What explains a difference. */
async function standing(who: PersonUnderTest) {
  const { bench } = who.world;
  const windows = (await bench.windows(who.person)).map((row) => `${Object.values(row).join(' ')}`);
  const connection = await bench.rows('select status, scopes from connection where tenant_id = $1', who.person);
  return { connection, letters: await bench.letters(who.person), windows };
}

describe.each(providersUnderTest(Date.now()))('whatever happens to the messages of $provider', (underTest) => {
  it('we end with what the provider holds, and so does the customer', async () => {
    await fc.assert(
      fc.asyncProperty(histories(underTest.slots.length, underTest.swept), async (history) => {
        await world.backToNow();
        const who = await world.connect(underTest.provider);
        await live(who, underTest, history);
        const differs = differences(await heldState(who), await trueState(who));
        expect(differs.length === 0 ? [] : { differs: differs.slice(0, 5), ...(await standing(who)) }).toEqual([]);

        const { documents } = await who.control<{ documents: Record<string, Record<string, unknown>[]> }>(
          'GET',
          `/people/${who.subjectId}/truth`,
        );
        for (const { collection, metric, valueOf } of underTest.oracle) {
          const rows = await world.bench.rows(
            `select value from daily_rollup where tenant_id = $1 and metric = '${metric}' and not deleted order by value`,
            who.person,
          );
          const expected = (documents[collection] ?? []).map((held) => valueOf((held['point'] as typeof held | undefined) ?? held));
          expect(rows.map(({ value }) => value)).toEqual(
            expected.filter((value) => value !== undefined).sort((a, b) => Number(a) - Number(b)),
          );
        }

        const events = await world.bench.events(who.person);
        const revisions = events.map(({ revision }) => revision);
        expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
        const alive = [...(await customerState(who)).values()].filter(({ deleted }) => !deleted).length;
        expect(alive).toBe(Object.keys(await heldState(who)).length);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: process.env['PROPERTY_SHRINK'] === undefined },
    );
  }, 300_000);
});
