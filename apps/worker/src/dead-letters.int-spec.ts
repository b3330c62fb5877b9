import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FetchOutcome } from '@tributary/domain';
import { type Provider, providers } from '@tributary/providers';
import { inTransaction, replayDeadLetters } from '@tributary/storage';
import { activityDocument } from '../testing/documents.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { repullOldDrift } from './drift-upkeep.js';
import type { WorkerContext } from './worker-context.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(async () => {
  await bench.close();
});
beforeEach(() => {
  bench.oura.documents.clear();
  Object.assign(bench.oura, { fault: undefined, beforeAnswer: undefined });
  Object.assign(bench.oura.calls, { object: 0, list: 0 });
});

const replay = (person: Person, filter: Parameters<typeof replayDeadLetters>[2] = {}) =>
  inTransaction(bench.db.pool, (client) => replayDeadLetters(client, person.scope, filter, 1_000));

const spread = (person: Person) =>
  bench.rows(`select extract(epoch from due_at - now())::float as s from fetch_window where tenant_id = $1 order by 1`, person);

/** Somebody whose day `act-1` could not be read, at its last try. */
async function unread(fault: Record<string, unknown> = { status: 500 }): Promise<Person> {
  const person = await bench.person();
  bench.oura.put('daily_activity', activityDocument());
  await bench.notice(person);
  await bench.resolve(person);
  await bench.db.pool.query('update fetch_window set attempts = 11 where tenant_id = $1', [person.scope.tenantId]);
  bench.oura.fault = { answer: fault as { status: number }, times: 1 };
  await bench.fetch(person);
  bench.oura.fault = undefined;
  return person;
}

/** A worker of an adapter of this version. */
function adapter(normalizerVersion: number, outcome?: FetchOutcome): WorkerContext {
  const oura = providers.find(({ id }) => id === 'oura') as Provider;
  const provider: Provider = { ...oura, normalizerVersion, ...(outcome ? { fetchRecords: () => Promise.resolve(outcome) } : {}) };
  return bench.contextWith({ providers: new Map([[provider.id, provider]]) });
}

describe('replaying dead letters', () => {
  it('a window that is read after all closes its letter, and its notices are applied', async () => {
    const person = await unread();
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'transient', open: true }]);
    expect(await bench.windows(person)).toMatchObject([{ state: 'dead' }]);
    const counted = await bench.context.metrics.deadLetters.get();
    expect(counted.values).toEqual([{ value: 1, labels: { provider: 'oura', bucket: 'transient' }, exemplar: undefined }]);
    expect(await bench.notices(person)).toEqual([{ status: 'dead', n: 1 }]);
    expect(await replay(person)).toEqual({ replayed: 1, lanes: [0] });
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', attempts: 0, contradictions: 0 }]);
    await bench.fetch(person);
    expect(await bench.value(person)).toBe(11_342);
    expect(await bench.letters(person)).toMatchObject([{ open: false, close_reason: 'refreshed' }]);
    expect(await bench.notices(person)).toEqual([{ status: 'applied', n: 1 }]);
    expect(await bench.rows('select replays, replayed_at is not null as at from dead_letter where tenant_id = $1', person)).toEqual([
      { replays: 1, at: true },
    ]);
    expect(await replay(person)).toEqual({ replayed: 0, lanes: [] });
  });

  it('one that fails again keeps its one letter open', async () => {
    const person = await unread();
    await replay(person);
    await bench.db.pool.query('update fetch_window set attempts = 11 where tenant_id = $1', [person.scope.tenantId]);
    bench.oura.fault = { answer: { status: 500 }, times: 1 };
    await bench.fetch(person);
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'transient', open: true }]);
  });

  it('C151 killed again and again between the read and the tick: it ends ticked off, with one event for each value', async () => {
    const person = await unread();
    for (let kills = 0; kills < 20; kills += 1) {
      await replay(person);
      await bench.fetch(person);
      // As if the row had come back from before: open, and its window dead.
      await bench.db.pool.query(`update dead_letter set closed_at = null, close_reason = null where tenant_id = $1`, [
        person.scope.tenantId,
      ]);
      await bench.db.pool.query(`update fetch_window set state = 'dead' where tenant_id = $1`, [person.scope.tenantId]);
    }
    await replay(person);
    await bench.fetch(person);
    const events = await bench.events(person);
    expect(new Set(events.map(({ data }) => data['metric'])).size).toBe(events.length);
    expect(await bench.letters(person)).toMatchObject([{ open: false, close_reason: 'refreshed' }]);
  });

  it('many are spread, oldest first, and behind what is live', async () => {
    const person = await bench.person();
    for (let n = 0; n < 40; n += 1) {
      await bench.notice(person, { id: `doc-${n}` });
      bench.oura.put('daily_activity', activityDocument({ id: `doc-${n}` }));
    }
    await bench.resolve(person);
    await bench.db.pool.query('update fetch_window set attempts = 11 where tenant_id = $1', [person.scope.tenantId]);
    bench.oura.fault = { answer: { status: 500 }, times: 40 };
    await bench.fetch(person);
    await bench.fetch(person);
    expect(await bench.letters(person)).toHaveLength(40);
    expect((await replay(person)).replayed).toBe(40);
    const due = (await spread(person)).map((row) => row['s'] as number);
    expect(due[0]).toBeLessThan(1);
    expect(due[39]).toBeLessThan(4);
    expect((due[39] ?? 0) - (due[0] ?? 0)).toBeGreaterThan(1);
    expect(await bench.rows('select distinct priority from fetch_window where tenant_id = $1', person)).toEqual([{ priority: 1 }]);
  });

  it('what no read can mend is never replayed', async () => {
    const person = await unread();
    await bench.db.pool.query(`update dead_letter set bucket = 'unresolvable', code = 'forbidden' where tenant_id = $1`, [
      person.scope.tenantId,
    ]);
    const before = await bench.windows(person);
    expect(await replay(person)).toEqual({ replayed: 0, lanes: [] });
    expect(await replay(person, { bucket: 'unresolvable' })).toEqual({ replayed: 0, lanes: [] });
    expect(await bench.windows(person)).toEqual(before);
  });

  it('of a connection that waits for consent it waits too, and of one that has ended nothing is opened', async () => {
    const waits = await unread();
    await bench.db.pool.query(`update connection set status = 'reauth_required' where tenant_id = $1`, [waits.scope.tenantId]);
    expect(await replay(waits)).toEqual({ replayed: 1, lanes: [] });
    expect(await bench.windows(waits)).toMatchObject([{ state: 'parked' }]);
    const ended = await unread();
    await bench.db.pool.query(`update connection set status = 'disconnected' where tenant_id = $1`, [ended.scope.tenantId]);
    expect(await replay(ended)).toEqual({ replayed: 0, lanes: [] });
  });

  it('a filter takes only what it names', async () => {
    const person = await unread();
    for (const filter of [
      { provider: 'whoop' },
      { collection: 'sleep' },
      { bucket: 'drift' },
      { openedBefore: new Date(0) },
      { userId: 'usr_other' },
    ] as const)
      expect([filter, (await replay(person, filter)).replayed]).toEqual([filter, 0]);
    expect(
      (await replay(person, { provider: 'oura', collection: 'daily_activity', bucket: 'transient', userId: person.user.id })).replayed,
    ).toBe(1);
  });
});

describe('drift', () => {
  const misread = { is: 'drift', detail: 'steps: expected a number' } as const;

  it('is read again by itself, once, when the adapter that did not understand it was mended', async () => {
    const person = await bench.person();
    bench.oura.put('daily_activity', activityDocument());
    await bench.notice(person);
    await bench.resolve(person);
    await bench.fetch(person, adapter(1, misread));
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'drift', code: 'drift', detail: misread.detail, open: true }]);
    expect(await repullOldDrift(adapter(1))).toBe(0);
    expect(await bench.windows(person)).toMatchObject([{ state: 'dead' }]);
    expect(await repullOldDrift(adapter(2))).toBe(1);
    expect(await repullOldDrift(adapter(2))).toBe(0);
    await bench.fetch(person, adapter(2));
    expect(await bench.value(person)).toBe(11_342);
    expect(await bench.letters(person)).toMatchObject([{ open: false, close_reason: 'refreshed' }]);
  });

  it('that the new adapter does not understand either waits for the one after it', async () => {
    const person = await bench.person();
    await bench.notice(person);
    await bench.resolve(person);
    await bench.fetch(person, adapter(1, misread));
    expect(await repullOldDrift(adapter(2))).toBe(1);
    await bench.fetch(person, adapter(2, misread));
    expect(await repullOldDrift(adapter(2))).toBe(0);
    expect(await repullOldDrift(adapter(3))).toBe(1);
    expect(await bench.letters(person)).toHaveLength(1);
  });
});
