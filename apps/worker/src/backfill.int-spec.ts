import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type FetchOutcome, addDays } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { type Provider, providers } from '@tributary/providers';
import {
  type NewBackfillPart,
  findBackfill,
  inTransaction,
  insertBackfill,
  openBackfillWindows,
  parkConnectionWindows,
  resumeWindows,
} from '@tributary/storage';
import { activityDocument } from '../testing/documents.js';
import { weightRecord } from '../testing/records.js';
import { type Person, Workbench } from '../testing/workbench.js';
import { reviveBackfill } from './backfill-revival.js';
import { tendBackfills } from './backfill-upkeep.js';
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
  Object.assign(bench.oura, { fault: undefined, beforeAnswer: undefined, pageSize: 100 });
  Object.assign(bench.oura.calls, { object: 0, list: 0, listQueries: [] });
});

const today = new Date().toISOString().slice(0, 10);
const to = addDays(today, 2);
const ID = 'bf_1';

type PartWish = Partial<NewBackfillPart> & { readonly collection: string };

/** A backfill of the last `days` days, its first windows open. */
async function begin(person: Person, { days, parts }: { days: number; parts: readonly PartWish[] }): Promise<void> {
  const from = addDays(today, -days);
  await inTransaction(bench.db.pool, async (client) => {
    const { tenantId, environment, id: connectionId, userId, provider } = person.connection;
    await insertBackfill(
      client,
      { tenantId, environment, id: ID, userId, connectionId, provider, cause: 'request', from, to },
      parts.map((part) => ({ permitted: true, from, to, spanDays: 30, horizonDays: undefined, ...part })),
    );
    await openBackfillWindows(client, person.scope, ID);
  });
}

const activity = [{ collection: 'daily_activity' }];
const shown = async (person: Person) => {
  const row = await findBackfill(bench.db.pool, person.scope, ID);
  if (row === undefined) throw new Error('There is no backfill');
  return row;
};
const part = async (person: Person, collection = 'daily_activity') =>
  (await shown(person)).parts.find((one) => one.collection === collection);
const open = (person: Person) =>
  bench.rows(
    `select collection, window_start as from, window_end as to, state, priority from fetch_window
     where tenant_id = $1 and backfill_id is not null order by collection, window_start`,
    person,
  );
const completions = async (person: Person) => (await bench.events(person)).filter(({ type }) => type === 'backfill.completed');

/** Reads what is due until nothing is, as tickets would. */
async function work(person: Person, context: WorkerContext = bench.context): Promise<void> {
  for (
    let n = 0;
    n < 50 &&
    (await bench.rows(`select 1 from fetch_window where tenant_id = $1 and state in ('waiting', 'fetching') and due_at <= now()`, person))
      .length > 0;
    n += 1
  )
    await bench.fetch(person, context);
}

/** A worker whose provider answers by the collection. */
function reading(answer: (collection: string) => FetchOutcome): WorkerContext {
  const oura = providers.find(({ id }) => id === 'oura') as Provider;
  const provider: Provider = { ...oura, fetchRecords: (collection) => Promise.resolve(answer(collection)) };
  return bench.contextWith({ providers: new Map([[provider.id, provider]]) });
}

/** A document for each of the last `days` days, whose steps are its place counted from today. */
function past(days: number): void {
  for (let n = 0; n < days; n += 1) {
    const day = addDays(today, -n);
    bench.oura.put('daily_activity', activityDocument({ id: `act-${day}`, day, timestamp: `${day}T04:00:00+00:00`, steps: 1_000 + n }));
  }
}

describe('a backfill', () => {
  it('reads the newest days first and ever more at a time, each once, and ends in one event', async () => {
    const person = await bench.person();
    past(100);
    await begin(person, { days: 90, parts: activity });
    expect(await open(person)).toEqual([{ collection: 'daily_activity', from: addDays(today, -3), to, state: 'waiting', priority: 1 }]);
    await bench.fetch(person);
    expect(await part(person)).toMatchObject({ reached: addDays(today, -3), windowsDone: 1, daysDone: 5, state: 'running' });
    await work(person);
    expect(await part(person)).toMatchObject({ state: 'done', reached: addDays(today, -90), daysDone: 92, days: 92, windowsFailed: 0 });
    // 5, 5, 10, 20, 30 and what is left: by days, each asked for once.
    expect(bench.oura.calls.list).toBe(6);
    expect(await part(person)).toMatchObject({ windowsDone: 6 });
    const steps = (await bench.daily(person)).filter((row) => row['metric'] === 'steps');
    expect(steps).toHaveLength(91);
    expect(await open(person)).toEqual([]);
    expect(await bench.windows(person)).toEqual([]);
    expect(await completions(person)).toEqual([]);
    expect(await tendBackfills(bench.context)).toEqual([{ ...person.scope, endpointId: person.endpoint.id }]);
    expect(await tendBackfills(bench.context)).toEqual([]);
    const [event, ...more] = await completions(person);
    expect(more).toEqual([]);
    expect(eventSchemas['backfill.completed'].parse(event?.data)).toEqual(event?.data);
    expect(event?.data).toMatchObject({
      backfillId: ID,
      status: 'completed',
      window: { from: addDays(today, -90), to },
      truncatedByProvider: false,
      collections: [{ collection: 'daily_activity', status: 'done', from: addDays(today, -90), windowsRead: 6, windowsFailed: 0 }],
      windowsFailed: 0,
      revision: event?.revision,
    });
    expect(event?.data['records']).toBe((await part(person))?.records);
    expect((await shown(person)).state).toBe('completed');
  });

  it('goes no further back than the provider shows anything, also when that has come closer meanwhile', async () => {
    const person = await bench.person();
    past(40);
    await begin(person, { days: 90, parts: [{ collection: 'daily_activity', from: addDays(today, -40), spanDays: 7, horizonDays: 28 }] });
    await work(person);
    expect(await part(person)).toMatchObject({ state: 'done', reached: addDays(today, -27) });
    await tendBackfills(bench.context);
    expect((await completions(person))[0]?.data).toMatchObject({ status: 'completed', truncatedByProvider: true });
  });

  it('opens the newest days of each collection at once, and then a few windows at a time', async () => {
    const person = await bench.person();
    const names = ['daily_activity', 'sleep', 'a', 'b', 'c', 'd'];
    await begin(person, { days: 60, parts: names.map((collection) => ({ collection })) });
    expect(await open(person)).toHaveLength(6);
    // As if each had been read.
    await bench.db.pool.query(`delete from fetch_window where tenant_id = $1`, [person.scope.tenantId]);
    await bench.db.pool.query(`update backfill_part set reached = open_from, open_from = null where tenant_id = $1`, [
      person.scope.tenantId,
    ]);
    await inTransaction(bench.db.pool, (client) => openBackfillWindows(client, person.scope, ID));
    expect(await open(person)).toHaveLength(4);
  });

  it('C139 the mark moves only with the commit of its window: where one is lost, both are', async () => {
    const person = await bench.person();
    past(10);
    await begin(person, { days: 30, parts: activity });
    await bench.db.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'killed here'; end $$;
      create trigger refuse before update on backfill_part for each row when (new.tenant_id = '${person.scope.tenantId}') execute function refuse()`);
    await bench.fetch(person);
    expect(await bench.daily(person)).toEqual([]);
    expect(await bench.events(person)).toEqual([]);
    expect(await part(person)).toMatchObject({ reached: to, windowsDone: 0, records: 0 });
    await bench.db.pool.query('drop trigger refuse on backfill_part; drop function refuse()');
    // The lease of who was killed ends.
    await bench.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1`, [person.scope.tenantId]);
    await work(person);
    expect(await part(person)).toMatchObject({ state: 'done', reached: addDays(today, -30), days: 32, daysDone: 32 });
  });

  it('a worker that is killed in the middle is followed by another, which leaves no gap and counts nothing twice', async () => {
    const person = await bench.person();
    past(60);
    await begin(person, { days: 50, parts: activity });
    let reads = 0;
    bench.oura.beforeAnswer = async () => {
      reads += 1;
      // While every second answer is under way its worker dies: another one has the lease when it comes.
      if (reads % 2 === 0)
        await bench.db.pool.query(
          `update fetch_window set state = 'waiting', lease_token = null, due_at = now() where tenant_id = $1 and state = 'fetching'`,
          [person.scope.tenantId],
        );
    };
    await work(person);
    const done = await part(person);
    expect(done).toMatchObject({ state: 'done', daysDone: 52, windowsDone: 5 });
    expect(reads).toBeGreaterThan(5);
    expect((await bench.daily(person)).filter((row) => row['metric'] === 'steps')).toHaveLength(51);
    await tendBackfills(bench.context);
    expect(await completions(person)).toHaveLength(1);
  });

  it('C151 killed after the commit, with the mark moved: the next look goes on and tells nothing twice', async () => {
    const person = await bench.person();
    past(10);
    await begin(person, { days: 8, parts: activity });
    await work(person);
    const events = (await bench.events(person)).length;
    // Its window comes back, as from a restored copy: read again, it is of no backfill and changes nothing.
    await bench.window(person, { collection: 'daily_activity', from: addDays(today, -3), to });
    await bench.fetch(person);
    expect(await bench.events(person)).toHaveLength(events);
    expect(await part(person)).toMatchObject({ windowsDone: 2, daysDone: 10 });
    await tendBackfills(bench.context);
    await tendBackfills(bench.context);
    expect(await completions(person)).toHaveLength(1);
  });

  it('a window that was lost is opened again', async () => {
    const person = await bench.person();
    past(5);
    await begin(person, { days: 3, parts: activity });
    await bench.db.pool.query('delete from fetch_window where tenant_id = $1', [person.scope.tenantId]);
    await bench.db.pool.query('update backfill set check_at = now() where tenant_id = $1', [person.scope.tenantId]);
    await tendBackfills(bench.context);
    expect(await open(person)).toHaveLength(1);
    await work(person);
    expect(await part(person)).toMatchObject({ state: 'done', daysDone: 5 });
  });
});

describe('what a backfill meets', () => {
  it('C156 half an answer counts as nothing: the mark stays, and what was held stays', async () => {
    const person = await bench.person();
    past(5);
    bench.oura.pageSize = 2;
    await begin(person, { days: 3, parts: activity });
    let reads = 0;
    bench.oura.beforeAnswer = async () => {
      reads += 1;
      if (reads === 1) bench.oura.fault = { answer: { status: 500 }, times: 1 };
    };
    await bench.fetch(person);
    expect(await bench.daily(person)).toEqual([]);
    expect(await part(person)).toMatchObject({ reached: to, windowsDone: 0, daysDone: 0, state: 'running' });
    await bench.makeDue(person);
    await work(person);
    expect(await part(person)).toMatchObject({ state: 'done', windowsDone: 1, windowsFailed: 0 });
  });

  it('a window that cannot be read is given up with a dead letter, is not counted as read, and does not hold up the rest', async () => {
    const person = await bench.person();
    past(20);
    await begin(person, { days: 18, parts: activity });
    await bench.db.pool.query('update fetch_window set attempts = 11 where tenant_id = $1', [person.scope.tenantId]);
    bench.oura.fault = { answer: { status: 500 }, times: 1 };
    await work(person);
    expect(await bench.letters(person)).toEqual([
      { bucket: 'transient', code: expect.any(String), detail: '12 tries', open: true, close_reason: null },
    ]);
    expect(await part(person)).toMatchObject({ state: 'done', days: 20, daysDone: 15, daysFailed: 5, windowsFailed: 1 });
    await tendBackfills(bench.context);
    expect((await completions(person))[0]?.data).toMatchObject({ status: 'incomplete', windowsFailed: 1 });
  });

  it('after three windows in a row it leaves that collection, and reads the others to their end', async () => {
    const person = await bench.person();
    await begin(person, { days: 90, parts: [{ collection: 'daily_activity' }, { collection: 'sleep' }] });
    const context = reading((collection) =>
      collection === 'sleep' ? { is: 'records', complete: true, records: [] } : { is: 'drift', detail: 'data' },
    );
    await work(person, context);
    expect(await part(person, 'sleep')).toMatchObject({ state: 'done', daysDone: 92 });
    expect(await part(person)).toMatchObject({
      state: 'failed',
      windowsDone: 0,
      windowsFailed: 3,
      daysDone: 0,
      reached: addDays(today, -18),
    });
    expect(await bench.letters(person)).toHaveLength(3);
    await tendBackfills(bench.context);
    expect((await completions(person))[0]?.data).toMatchObject({
      status: 'incomplete',
      windowsFailed: 3,
      collections: [
        { collection: 'daily_activity', status: 'failed' },
        { collection: 'sleep', status: 'done' },
      ],
    });
  });

  it('C156 a read that did not show all is written, and is not counted as read', async () => {
    const person = await bench.person();
    await begin(person, { days: 3, parts: activity });
    await work(
      person,
      reading(() => ({ is: 'records', complete: false, records: [weightRecord(71)] })),
    );
    expect(await bench.rows('select value from measurement_record where tenant_id = $1', person)).toEqual([{ value: 71 }]);
    expect(await part(person)).toMatchObject({ windowsDone: 0, windowsFailed: 1, daysDone: 0, daysFailed: 5, records: 1 });
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'drift', code: 'too_many_pages', open: true }]);
  });

  it('C154 without permission nothing is asked for; the rest is read, and nobody looks at a wrong day', async () => {
    const person = await bench.person();
    past(5);
    await begin(person, { days: 3, parts: [{ collection: 'daily_activity' }, { collection: 'sleep', permitted: false }] });
    await work(person);
    expect(bench.oura.calls.listQueries).toHaveLength(1);
    expect(await part(person, 'sleep')).toMatchObject({ state: 'not_permitted', daysDone: 0 });
    await tendBackfills(bench.context);
    const [event] = await completions(person);
    expect(event?.data).toMatchObject({
      status: 'completed',
      collections: [
        { collection: 'daily_activity', status: 'done' },
        { collection: 'sleep', status: 'not_permitted', windowsRead: 0 },
      ],
    });
    expect(await bench.letters(person)).toEqual([]);
  });

  it('C154 it starts by itself when the permission is there, once, and reads only what it could not read before', async () => {
    const person = await bench.person();
    await begin(person, { days: 3, parts: [{ collection: 'daily_activity' }, { collection: 'sleep', permitted: false }] });
    await work(person);
    await tendBackfills(bench.context);
    const { id: connectionId, ...rest } = person.connection;
    const revive = (...permitted: string[]) =>
      inTransaction(bench.db.pool, (client) => reviveBackfill(client, { ...rest, connectionId }, permitted));
    await revive('daily_activity');
    expect(await open(person)).toEqual([]);
    await revive('daily_activity', 'sleep');
    await revive('daily_activity', 'sleep');
    expect(await open(person)).toMatchObject([{ collection: 'sleep', from: addDays(today, -3), to, state: 'waiting' }]);
    expect(await bench.rows('select state, cause from backfill where tenant_id = $1 order by created_at', person)).toEqual([
      { state: 'completed', cause: 'request' },
      { state: 'running', cause: 'consent' },
    ]);
    await work(person);
    await tendBackfills(bench.context);
    expect((await completions(person)).map(({ data }) => data['status'])).toEqual(['completed', 'completed']);
    await revive('daily_activity', 'sleep');
    expect(await open(person)).toEqual([]);
  });

  it('C154 a permission that was taken back meanwhile ends that collection with one call', async () => {
    const person = await bench.person();
    await begin(person, { days: 60, parts: activity });
    bench.oura.fault = { answer: { status: 403 }, times: 100 };
    await work(person);
    expect(bench.oura.calls.list).toBe(1);
    expect(await part(person)).toMatchObject({ state: 'not_permitted', windowsDone: 0 });
    await tendBackfills(bench.context);
    expect(await completions(person)).toHaveLength(1);
  });

  it('waits while the person has to consent again, and goes on from its mark', async () => {
    const person = await bench.person();
    past(40);
    await begin(person, { days: 30, parts: activity });
    await bench.fetch(person);
    const before = await part(person);
    await bench.db.pool.query(`update connection set status = 'reauth_required' where tenant_id = $1`, [person.scope.tenantId]);
    await parkConnectionWindows(bench.db.pool, person.scope, person.connection.id);
    await work(person);
    await bench.db.pool.query('update backfill set check_at = now() where tenant_id = $1', [person.scope.tenantId]);
    expect(await tendBackfills(bench.context)).toEqual([]);
    expect(await part(person)).toEqual(before);
    expect(await shown(person)).toMatchObject({ state: 'running', connectionStatus: 'reauth_required' });
    await bench.db.pool.query(`update connection set status = 'active' where tenant_id = $1`, [person.scope.tenantId]);
    await resumeWindows(bench.db.pool, person.scope, person.connection.id);
    await work(person);
    expect(await part(person)).toMatchObject({ state: 'done', daysDone: 32 });
  });

  it('ends when its connection does', async () => {
    const person = await bench.person();
    await begin(person, { days: 30, parts: activity });
    await bench.db.pool.query(`update connection set status = 'disconnected' where tenant_id = $1`, [person.scope.tenantId]);
    await bench.db.pool.query('update backfill set check_at = now() where tenant_id = $1', [person.scope.tenantId]);
    await tendBackfills(bench.context);
    expect(await shown(person)).toMatchObject({ state: 'cancelled' });
    expect((await completions(person))[0]?.data).toMatchObject({ status: 'cancelled', collections: [{ status: 'cancelled' }] });
    expect(await open(person)).toEqual([]);
  });

  it('never puts an older value in the place of a newer live one', async () => {
    const person = await bench.person();
    past(5);
    const live = { id: `act-${today}`, day: today, timestamp: `${today}T04:00:00+00:00`, steps: 9_999 };
    await begin(person, { days: 3, parts: activity });
    let once = true;
    bench.oura.beforeAnswer = async (path) => {
      if (!once || !path.endsWith('daily_activity')) return;
      once = false;
      // The answer to the backfill is made and under way; meanwhile the day changes and a webhook of it is worked.
      bench.oura.put('daily_activity', activityDocument(live));
      await bench.notice(person, { id: live.id });
      await bench.resolve(person);
      await bench.fetch(person);
    };
    await bench.fetch(person);
    const days = (await bench.daily(person)).filter((row) => row['metric'] === 'steps');
    expect(days.find((row) => row['local_date'] === today)).toMatchObject({ value: 9_999 });
    expect(days).toHaveLength(4);
    expect(await part(person)).toMatchObject({ state: 'done' });
  });

  it('a live notice goes first, and is not queued behind it', async () => {
    const person = await bench.person();
    past(400);
    await begin(person, { days: 300, parts: activity });
    await bench.fetch(person);
    await bench.notice(person, { id: `act-${today}` });
    await bench.resolve(person);
    bench.oura.calls.object = 0;
    await bench.fetch(person, bench.contextWith({ slice: 1 }));
    expect(bench.oura.calls.object).toBe(1);
  });
});
