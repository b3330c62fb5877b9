import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { inTransaction, openBackfillWindows } from '@tributary/storage';
import { BACKFILL, BackfillWorld, activity, end, today } from '../testing/backfill-world.js';
import { Workbench } from '../testing/workbench.js';
import { tendBackfills } from './backfill-upkeep.js';

let bench: Workbench;
let world: BackfillWorld;
beforeAll(async () => {
  bench = await Workbench.open();
  world = new BackfillWorld(bench);
});
afterAll(async () => {
  await bench.close();
});
beforeEach(() => {
  bench.oura.documents.clear();
  Object.assign(bench.oura, { fault: undefined, beforeAnswer: undefined, pageSize: 100 });
  Object.assign(bench.oura.calls, { object: 0, list: 0, listQueries: [] });
});

describe('a backfill', () => {
  it('reads the newest days first and ever more at a time, each once, and ends in one event', async () => {
    const person = await bench.person();
    world.past(100);
    await world.begin(person, { days: 90, parts: activity });
    expect(await world.open(person)).toEqual([
      { collection: 'daily_activity', from: addDays(today, -3), to: end, state: 'waiting', priority: 1 },
    ]);
    await bench.fetch(person);
    expect(await world.part(person)).toMatchObject({ reached: addDays(today, -3), windowsDone: 1, daysDone: 5, state: 'running' });
    await world.work(person);
    expect(await world.part(person)).toMatchObject({
      state: 'done',
      reached: addDays(today, -90),
      daysDone: 92,
      days: 92,
      windowsFailed: 0,
    });
    // 5, 5, 10, 20, 30 and what is left: by days, each asked for once.
    expect(bench.oura.calls.list).toBe(6);
    expect(await world.part(person)).toMatchObject({ windowsDone: 6 });
    const steps = (await bench.daily(person)).filter((row) => row['metric'] === 'steps');
    expect(steps).toHaveLength(91);
    expect(await world.open(person)).toEqual([]);
    expect(await bench.windows(person)).toEqual([]);
    expect(await world.completions(person)).toEqual([]);
    expect(await tendBackfills(bench.context)).toEqual([{ ...person.scope, endpointId: person.endpoint.id }]);
    expect(await tendBackfills(bench.context)).toEqual([]);
    const [event, ...more] = await world.completions(person);
    expect(more).toEqual([]);
    expect(eventSchemas['backfill.completed'].parse(event?.data)).toEqual(event?.data);
    expect(event?.data).toMatchObject({
      backfillId: BACKFILL,
      status: 'completed',
      window: { from: addDays(today, -90), to: end },
      truncatedByProvider: false,
      collections: [{ collection: 'daily_activity', status: 'done', from: addDays(today, -90), windowsRead: 6, windowsFailed: 0 }],
      windowsFailed: 0,
      revision: event?.revision,
    });
    expect(event?.data['records']).toBe((await world.part(person))?.records);
    expect((await world.shown(person)).state).toBe('completed');
  });

  it('goes no further back than the provider shows anything, also when that has come closer meanwhile', async () => {
    const person = await bench.person();
    world.past(40);
    await world.begin(person, {
      days: 90,
      parts: [{ collection: 'daily_activity', from: addDays(today, -40), spanDays: 7, horizonDays: 28 }],
    });
    await world.work(person);
    expect(await world.part(person)).toMatchObject({ state: 'done', reached: addDays(today, -27) });
    await tendBackfills(bench.context);
    expect((await world.completions(person))[0]?.data).toMatchObject({ status: 'completed', truncatedByProvider: true });
  });

  it('opens the newest days of each collection at once, and then a few windows at a time', async () => {
    const person = await bench.person();
    const names = ['daily_activity', 'sleep', 'a', 'b', 'c', 'd'];
    await world.begin(person, { days: 60, parts: names.map((collection) => ({ collection })) });
    expect(await world.open(person)).toHaveLength(6);
    // As if each had been read.
    await bench.db.pool.query(`delete from fetch_window where tenant_id = $1`, [person.scope.tenantId]);
    await bench.db.pool.query(`update backfill_part set reached = open_from, open_from = null where tenant_id = $1`, [
      person.scope.tenantId,
    ]);
    await inTransaction(bench.db.pool, (client) => openBackfillWindows(client, person.scope, BACKFILL));
    expect(await world.open(person)).toHaveLength(4);
  });

  it('C139 the mark moves only with the commit of its window: where one is lost, both are', async () => {
    const person = await bench.person();
    world.past(10);
    await world.begin(person, { days: 30, parts: activity });
    await bench.db.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'killed here'; end $$;
      create trigger refuse before update on backfill_part for each row when (new.tenant_id = '${person.scope.tenantId}') execute function refuse()`);
    await bench.fetch(person);
    expect(await bench.daily(person)).toEqual([]);
    expect(await bench.events(person)).toEqual([]);
    expect(await world.part(person)).toMatchObject({ reached: end, windowsDone: 0, records: 0 });
    await bench.db.pool.query('drop trigger refuse on backfill_part; drop function refuse()');
    // The lease of who was killed ends.
    await bench.db.pool.query(`update fetch_window set due_at = now() where tenant_id = $1`, [person.scope.tenantId]);
    await world.work(person);
    expect(await world.part(person)).toMatchObject({ state: 'done', reached: addDays(today, -30), days: 32, daysDone: 32 });
  });

  it('a worker that is killed in the middle is followed by another, which leaves no gap and counts nothing twice', async () => {
    const person = await bench.person();
    world.past(60);
    await world.begin(person, { days: 50, parts: activity });
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
    await world.work(person);
    const done = await world.part(person);
    expect(done).toMatchObject({ state: 'done', daysDone: 52, windowsDone: 5 });
    expect(reads).toBeGreaterThan(5);
    expect((await bench.daily(person)).filter((row) => row['metric'] === 'steps')).toHaveLength(51);
    await tendBackfills(bench.context);
    expect(await world.completions(person)).toHaveLength(1);
  });

  it('C151 killed after the commit, with the mark moved: the next look goes on and tells nothing twice', async () => {
    const person = await bench.person();
    world.past(10);
    await world.begin(person, { days: 8, parts: activity });
    await world.work(person);
    const events = (await bench.events(person)).length;
    // Its window comes back, as from a restored copy: read again, it is of no backfill and changes nothing.
    await bench.window(person, { collection: 'daily_activity', from: addDays(today, -3), to: end });
    await bench.fetch(person);
    expect(await bench.events(person)).toHaveLength(events);
    expect(await world.part(person)).toMatchObject({ windowsDone: 2, daysDone: 10 });
    await tendBackfills(bench.context);
    await tendBackfills(bench.context);
    expect(await world.completions(person)).toHaveLength(1);
  });

  it('a window that was lost is opened again', async () => {
    const person = await bench.person();
    world.past(5);
    await world.begin(person, { days: 3, parts: activity });
    await bench.db.pool.query('delete from fetch_window where tenant_id = $1', [person.scope.tenantId]);
    await world.lookAgain(person);
    await tendBackfills(bench.context);
    expect(await world.open(person)).toHaveLength(1);
    await world.work(person);
    expect(await world.part(person)).toMatchObject({ state: 'done', daysDone: 5 });
  });
});
