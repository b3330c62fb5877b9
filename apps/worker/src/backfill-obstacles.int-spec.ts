import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { inTransaction, parkConnectionWindows, resumeWindows } from '@tributary/storage';
import { BackfillWorld, activity, end, today } from '../testing/backfill-world.js';
import { activityDocument } from '../testing/documents.js';
import { weightRecord } from '../testing/records.js';
import { Workbench } from '../testing/workbench.js';
import { reviveBackfill } from './backfill-revival.js';
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

describe('what a backfill meets', () => {
  it('C156 half an answer counts as nothing: the mark stays, and what was held stays', async () => {
    const person = await bench.person();
    world.past(5);
    bench.oura.pageSize = 2;
    await world.begin(person, { days: 3, parts: activity });
    let reads = 0;
    bench.oura.beforeAnswer = async () => {
      reads += 1;
      if (reads === 1) bench.oura.fault = { answer: { status: 500 }, times: 1 };
    };
    await bench.fetch(person);
    expect(await bench.daily(person)).toEqual([]);
    expect(await world.part(person)).toMatchObject({ reached: end, windowsDone: 0, daysDone: 0, state: 'running' });
    await bench.makeDue(person);
    await world.work(person);
    expect(await world.part(person)).toMatchObject({ state: 'done', windowsDone: 1, windowsFailed: 0 });
  });

  it('a window that cannot be read is given up with a dead letter, is not counted as read, and does not hold up the rest', async () => {
    const person = await bench.person();
    world.past(20);
    await world.begin(person, { days: 18, parts: activity });
    await bench.db.pool.query('update fetch_window set attempts = 11 where tenant_id = $1', [person.scope.tenantId]);
    bench.oura.fault = { answer: { status: 500 }, times: 1 };
    await world.work(person);
    expect(await bench.letters(person)).toEqual([
      { bucket: 'transient', code: expect.any(String), detail: '12 tries', open: true, close_reason: null },
    ]);
    expect(await world.part(person)).toMatchObject({ state: 'done', days: 20, daysDone: 15, daysFailed: 5, windowsFailed: 1 });
    await tendBackfills(bench.context);
    expect((await world.completions(person))[0]?.data).toMatchObject({ status: 'incomplete', windowsFailed: 1 });
  });

  it('after three windows in a row it leaves that collection, and reads the others to their end', async () => {
    const person = await bench.person();
    await world.begin(person, { days: 90, parts: [{ collection: 'daily_activity' }, { collection: 'sleep' }] });
    const context = world.reading((collection) =>
      collection === 'sleep' ? { is: 'records', complete: true, records: [] } : { is: 'drift', detail: 'data' },
    );
    await world.work(person, context);
    expect(await world.part(person, 'sleep')).toMatchObject({ state: 'done', daysDone: 92 });
    expect(await world.part(person)).toMatchObject({
      state: 'failed',
      windowsDone: 0,
      windowsFailed: 3,
      daysDone: 0,
      reached: addDays(today, -18),
    });
    expect(await bench.letters(person)).toHaveLength(3);
    await tendBackfills(bench.context);
    expect((await world.completions(person))[0]?.data).toMatchObject({
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
    await world.begin(person, { days: 3, parts: activity });
    await world.work(
      person,
      world.reading(() => ({ is: 'records', complete: false, records: [weightRecord(71)] })),
    );
    expect(await bench.rows('select value from measurement_record where tenant_id = $1', person)).toEqual([{ value: 71 }]);
    expect(await world.part(person)).toMatchObject({ windowsDone: 0, windowsFailed: 1, daysDone: 0, daysFailed: 5, records: 1 });
    expect(await bench.letters(person)).toMatchObject([{ bucket: 'drift', code: 'too_many_pages', open: true }]);
  });

  it('C154 without permission nothing is asked for; the rest is read, and nobody looks at a wrong day', async () => {
    const person = await bench.person();
    world.past(5);
    await world.begin(person, { days: 3, parts: [{ collection: 'daily_activity' }, { collection: 'sleep', permitted: false }] });
    await world.work(person);
    expect(bench.oura.calls.listQueries).toHaveLength(1);
    expect(await world.part(person, 'sleep')).toMatchObject({ state: 'not_permitted', daysDone: 0 });
    await tendBackfills(bench.context);
    const [event] = await world.completions(person);
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
    await world.begin(person, { days: 3, parts: [{ collection: 'daily_activity' }, { collection: 'sleep', permitted: false }] });
    await world.work(person);
    await tendBackfills(bench.context);
    const { id: connectionId, ...rest } = person.connection;
    const revive = (...permitted: string[]) =>
      inTransaction(bench.db.pool, (client) => reviveBackfill(client, { ...rest, connectionId }, permitted));
    await revive('daily_activity');
    expect(await world.open(person)).toEqual([]);
    await revive('daily_activity', 'sleep');
    await revive('daily_activity', 'sleep');
    expect(await world.open(person)).toMatchObject([{ collection: 'sleep', from: addDays(today, -3), to: end, state: 'waiting' }]);
    expect(await bench.rows('select state, cause from backfill where tenant_id = $1 order by created_at', person)).toEqual([
      { state: 'completed', cause: 'request' },
      { state: 'running', cause: 'consent' },
    ]);
    await world.work(person);
    await tendBackfills(bench.context);
    expect((await world.completions(person)).map(({ data }) => data['status'])).toEqual(['completed', 'completed']);
    await revive('daily_activity', 'sleep');
    expect(await world.open(person)).toEqual([]);
  });

  it('C154 a permission that was taken back meanwhile ends that collection with one call', async () => {
    const person = await bench.person();
    await world.begin(person, { days: 60, parts: activity });
    bench.oura.fault = { answer: { status: 403 }, times: 100 };
    await world.work(person);
    expect(bench.oura.calls.list).toBe(1);
    expect(await world.part(person)).toMatchObject({ state: 'not_permitted', windowsDone: 0 });
    await tendBackfills(bench.context);
    expect(await world.completions(person)).toHaveLength(1);
  });

  it('C152 backs off when the provider says so, at no cost, and goes on where it was', async () => {
    const person = await bench.person();
    await world.begin(person, { days: 30, parts: activity });
    let limited = true;
    const context = world.reading(() =>
      limited ? { is: 'rate-limited', retryAt: Date.now() + 60_000 } : { is: 'records', complete: true, records: [] },
    );
    for (let n = 0; n < 15; n += 1) {
      await bench.makeDue(person);
      await bench.fetch(person, context);
    }
    // Fifteen times over, which is more often than a window may fail.
    expect(await bench.windows(person)).toMatchObject([{ state: 'waiting', attempts: 0, last_error: 'rate_limited' }]);
    expect(await world.part(person)).toMatchObject({ state: 'running', reached: end, windowsDone: 0, windowsFailed: 0 });
    expect(await bench.letters(person)).toEqual([]);
    limited = false;
    await bench.makeDue(person);
    await world.work(person, context);
    expect(await world.part(person)).toMatchObject({ state: 'done', daysDone: 32 });
  });

  it('waits while the person has to consent again, and goes on from its mark', async () => {
    const person = await bench.person();
    world.past(40);
    await world.begin(person, { days: 30, parts: activity });
    await bench.fetch(person);
    const before = await world.part(person);
    await bench.db.pool.query(`update connection set status = 'reauth_required' where tenant_id = $1`, [person.scope.tenantId]);
    await parkConnectionWindows(bench.db.pool, person.scope, person.connection.id);
    await world.work(person);
    await world.lookAgain(person);
    await tendBackfills(bench.context);
    expect(await world.completions(person)).toEqual([]);
    expect(await world.part(person)).toEqual(before);
    expect(await world.shown(person)).toMatchObject({ state: 'running', connectionStatus: 'reauth_required' });
    await bench.db.pool.query(`update connection set status = 'active' where tenant_id = $1`, [person.scope.tenantId]);
    await resumeWindows(bench.db.pool, person.scope, person.connection.id);
    await world.work(person);
    expect(await world.part(person)).toMatchObject({ state: 'done', daysDone: 32 });
  });

  it('ends when its connection does', async () => {
    const person = await bench.person();
    await world.begin(person, { days: 30, parts: activity });
    await bench.db.pool.query(`update connection set status = 'disconnected' where tenant_id = $1`, [person.scope.tenantId]);
    await world.lookAgain(person);
    await tendBackfills(bench.context);
    expect(await world.shown(person)).toMatchObject({ state: 'cancelled' });
    expect((await world.completions(person))[0]?.data).toMatchObject({ status: 'cancelled', collections: [{ status: 'cancelled' }] });
    expect(await world.open(person)).toEqual([]);
  });

  it('never puts an older value in the place of a newer live one', async () => {
    const person = await bench.person();
    world.past(5);
    const live = { id: `act-${today}`, day: today, timestamp: `${today}T04:00:00+00:00`, steps: 9_999 };
    await world.begin(person, { days: 3, parts: activity });
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
    expect(await world.part(person)).toMatchObject({ state: 'done' });
  });

  it('a live notice goes first, and is not queued behind it', async () => {
    const person = await bench.person();
    world.past(400);
    await world.begin(person, { days: 300, parts: activity });
    await bench.fetch(person);
    await bench.notice(person, { id: `act-${today}` });
    await bench.resolve(person);
    bench.oura.calls.object = 0;
    await bench.fetch(person, bench.contextWith({ slice: 1 }));
    expect(bench.oura.calls.object).toBe(1);
  });
});
