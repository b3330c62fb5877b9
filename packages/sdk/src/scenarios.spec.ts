import { describe, expect, it } from '@jest/globals';
import { memoryStore } from './claim-store.memory.js';
import { createReceiver } from './receiver.js';
import { replyTo } from './receiver-outcome.js';
import { memoryRecords } from './record-book.memory.js';
import { type ScenarioName, exampleSecret, scenario, scenarioNames, signedExample } from './testing.js';

const nextSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const at = new Date('2026-11-30T07:12:44Z');

/** A receiver, the requests of the scenario, and what came of them. */
async function played(name: ScenarioName, guarded: boolean, secrets: readonly string[] = [exampleSecret, nextSecret]) {
  const records = memoryRecords();
  let careless: number | null = null;
  let handled = 0;
  const receiver = createReceiver({
    secrets,
    store: memoryStore(),
    now: () => at.getTime(),
    onProblem: () => undefined,
    handlers: {
      otherwise: async (event) => {
        handled++;
        if (event.known && event.type === 'daily.updated') careless = event.data.record.value;
        await records.applyIfNewer(event);
      },
    },
  });
  const { events, ...expected } = scenario(name, { secret: exampleSecret, nextSecret, at });
  const statuses: number[] = [];
  for (const event of events) statuses.push(replyTo(await receiver.receive(await signedExample(event.type, event))).status);
  const [record] = records.list();
  const held = record && 'record' in record.data && 'value' in record.data.record ? record.data.record.value : null;
  return { expected, statuses, handled, held: guarded ? held : careless };
}

describe('a receiver with a store and a record book', () => {
  it.each(scenarioNames)('is right after: %s', async (name) => {
    const { expected, ...outcome } = await played(name, true);
    expect(outcome).toEqual({ statuses: expected.statuses, handled: expected.handled, held: expected.held });
  });
});

describe('the scenarios', () => {
  it.each(['reordered', 'deleted', 'erased'] as const)('find a receiver that keeps what comes last: %s', async (name) => {
    const { expected, held } = await played(name, false);
    expect(held).not.toBe(expected.held);
  });
  it('find a receiver that knows the old secret alone', async () => {
    expect((await played('rotated', true, [exampleSecret])).statuses).toEqual([204, 204, 400]);
  });
  it('name somebody else each time, and bear the same ids in a duplicate', () => {
    const [one, other] = [scenario('duplicate', { secret: exampleSecret }), scenario('duplicate', { secret: exampleSecret })];
    expect(new Set(one.events.map(({ id }) => id)).size).toBe(1);
    expect(one.events[0]?.id).not.toBe(other.events[0]?.id);
    const [someone, somebodyElse] = [one, other].map(({ events }) => (events[0]?.data as { readonly user?: unknown }).user);
    expect(someone).toMatchObject({ id: expect.any(String) });
    expect(someone).not.toEqual(somebodyElse);
  });
});
