import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { ATTEMPT_DAYS, keepAttemptPartitions } from './keep-attempt-partitions.js';

const DAY_MS = 86_400_000;
// A noon far from now, so that what the migration made for today is out of the way. doubles: the clock.
const NOON = Date.UTC(2031, 4, 20, 12);
const at = (days: number) => NOON + days * DAY_MS;
const named = (ms: number) => `delivery_attempt_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;

let db: TestDatabase;
beforeEach(async () => {
  db = await cloneDatabase();
});
afterEach(() => db.drop());

const parts = async () =>
  (
    await db.pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'attempt_parts'::regnamespace and relkind = 'r' order by 1`,
    )
  ).rows.map(({ name }) => name);
const addAttempt = (startedAt: number) =>
  db.pool.query(
    `insert into delivery_attempt (tenant_id, environment, event_id, endpoint_id, n, started_at, duration_ms, outcome)
     values ('ten', 'test', 'evt', 'ep', 1, to_timestamp($1::float8 / 1000), 5, 'delivered')`,
    [startedAt],
  );
const standing = async () =>
  (
    await db.pool.query<{ part: string; at: Date }>(
      `select tableoid::regclass::text as part, started_at as at from delivery_attempt order by started_at`,
    )
  ).rows.map(({ part, at: when }) => [part.replace('attempt_parts.', ''), when.getTime()]);

describe('the partitions of attempts', () => {
  it('of yesterday, today and three days ahead are there from the migration on, and a default', async () => {
    const today = (await db.pool.query<{ ms: number }>(`select extract(epoch from now())::float8 * 1000 as ms`)).rows[0]?.ms ?? 0;
    const made = await parts();
    for (const ahead of [0, 1, 2]) expect(made).toContain(named(today + ahead * DAY_MS));
    expect(made).toHaveLength(6);
    expect(made).toContain('delivery_attempt_rest');
  });

  it('are made ahead of their day, one day at a time, and none twice', async () => {
    await keepAttemptPartitions(db.pool, at(0));
    expect(await parts()).toEqual([-1, 0, 1, 2, 3].map((day) => named(at(day))).concat('delivery_attempt_rest'));
    expect(await keepAttemptPartitions(db.pool, at(0))).toEqual({ made: 0, dropped: 0 });
    expect(await keepAttemptPartitions(db.pool, at(1))).toEqual({ made: 1, dropped: 0 });
  });

  it('hold an attempt by the UTC day in which it began, to the microsecond', async () => {
    await keepAttemptPartitions(db.pool, at(0));
    const midnight = Date.UTC(2031, 4, 21);
    await addAttempt(midnight - 1);
    await addAttempt(midnight);
    expect(await standing()).toEqual([
      [named(at(0)), midnight - 1],
      [named(at(1)), midnight],
    ]);
  });

  it('keep every attempt for thirty days, and go whole afterwards', async () => {
    await keepAttemptPartitions(db.pool, at(0));
    const last = Date.UTC(2031, 4, 20, 23, 59, 59);
    await addAttempt(last);
    const before = Date.UTC(2031, 4, 20) + (ATTEMPT_DAYS + 1) * DAY_MS - 1_000;
    expect(before - last).toBeGreaterThanOrEqual(ATTEMPT_DAYS * DAY_MS);
    await keepAttemptPartitions(db.pool, before);
    expect(await standing()).toHaveLength(1);
    const { dropped } = await keepAttemptPartitions(db.pool, before + 1_000);
    expect(dropped).toBe(1);
    expect(await standing()).toEqual([]);
    expect(await parts()).not.toContain(named(at(0)));
  });

  it('are never wanting: an attempt of a day that has none stands in the default, which is emptied when all in it is old', async () => {
    await keepAttemptPartitions(db.pool, at(0));
    await addAttempt(at(9));
    await addAttempt(at(10));
    expect((await standing()).map(([part]) => part)).toEqual(['delivery_attempt_rest', 'delivery_attempt_rest']);
    // The day whose rows stand there gets no partition of its own; the days after it do.
    await keepAttemptPartitions(db.pool, at(9));
    const made = await parts();
    expect([8, 9, 10, 11, 12].map((day) => made.includes(named(at(day))))).toEqual([true, false, false, true, true]);
    await keepAttemptPartitions(db.pool, at(10 + ATTEMPT_DAYS));
    expect(await standing()).toHaveLength(2);
    await keepAttemptPartitions(db.pool, at(11 + ATTEMPT_DAYS));
    expect(await standing()).toEqual([]);
  });

  it('come back when somebody lost them all', async () => {
    await db.pool.query('drop schema attempt_parts cascade');
    const { made } = await keepAttemptPartitions(db.pool, at(0));
    expect(made).toBe(5);
    await addAttempt(at(0));
    await addAttempt(at(40));
    expect((await standing()).map(([part]) => part)).toEqual([named(at(0)), 'delivery_attempt_rest']);
  });

  it('are kept by one process at a time; the others have nothing to do', async () => {
    const busy = await db.pool.connect();
    await busy.query('begin');
    await busy.query('select pg_advisory_xact_lock(1953653097, 2)');
    expect(await keepAttemptPartitions(db.pool, at(0))).toEqual({ made: 0, dropped: 0 });
    await busy.query('rollback');
    busy.release();
    expect((await keepAttemptPartitions(db.pool, at(0))).made).toBe(5);
  });

  it('make way for who records: a lock that is held long makes the upkeep give up, and it can be done again', async () => {
    const recording = await db.pool.connect();
    await recording.query('begin');
    await recording.query('lock table delivery_attempt in row exclusive mode');
    await expect(keepAttemptPartitions(db.pool, at(0))).rejects.toMatchObject({ code: '55P03' });
    await recording.query('commit');
    recording.release();
    expect((await keepAttemptPartitions(db.pool, at(0))).made).toBe(5);
  });
});
