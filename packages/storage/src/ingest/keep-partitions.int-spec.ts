import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { WEBHOOK_PERIOD_DAYS, keepPartitions } from './keep-partitions.js';

let db: TestDatabase;
let current: number;
beforeEach(async () => {
  db = await cloneDatabase();
  current = (await db.pool.query('select webhook_period(now()) as now')).rows[0].now;
});
afterEach(() => db.drop());

const parts = async () =>
  (
    await db.pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'webhook_parts'::regnamespace and relkind = 'r' order by 1`,
    )
  ).rows.map(({ name }) => name);
const dated = (...periods: number[]) =>
  ['webhook_delivery', 'webhook_notice'].flatMap((table) => [...periods.map((period) => `${table}_${period}`), `${table}_rest`]);
const makePartition = async (period: number) => {
  for (const table of ['webhook_delivery', 'webhook_notice'])
    await db.pool.query(`create table webhook_parts.${table}_${period} partition of ${table} for values in (${period})`);
};
const addDelivery = async (period: number, status = 'applied') => {
  const key = randomUUID();
  await db.pool.query(
    `insert into webhook_delivery (delivery_key, tenant_id, environment, provider_app_id, delivery_id, period, grade, secret_id, body_hash)
     values ($1::uuid, 'ten', 'test', 'app', $1::text, $2, 'signed', 'sec', '')`,
    [key, period],
  );
  await db.pool.query(
    `insert into webhook_notice (tenant_id, environment, provider_app_id, delivery_key, ordinal, connection_id, period, status, kind, collection,
       window_kind, window_start, window_end)
     values ('ten', 'test', 'app', $1, 0, 'con', $2, $3, 'changed', 'sleep', 'whole', '', '')`,
    [key, period, status],
  );
};
const count = async (table: string) => (await db.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;

describe('the partitions of deliveries and notices', () => {
  it('of this period and the next are there from the migration on, and a default for what nobody foresaw', async () => {
    expect(await parts()).toEqual(dated(current, current + 1).sort());
    expect(await keepPartitions(db.pool)).toEqual({ made: 0, dropped: 0, keptWaiting: 0 });
  });

  it('last as many days as we say', async () => {
    const { rows } = await db.pool.query(
      `select webhook_period(at) as a, webhook_period(at + $1 * interval '1 day') as b from (select now() as at) t`,
      [WEBHOOK_PERIOD_DAYS],
    );
    expect(rows[0].b - rows[0].a).toBe(1);
  });

  it('are made when they are missing, and dropped whole from the one before the last on', async () => {
    await db.pool.query(`drop table webhook_parts.webhook_delivery_${current + 1}, webhook_parts.webhook_notice_${current + 1}`);
    for (const age of [1, 2, 3]) {
      await makePartition(current - age);
      await addDelivery(current - age);
    }
    await addDelivery(current);
    expect(await keepPartitions(db.pool)).toEqual({ made: 2, dropped: 2, keptWaiting: 0 });
    expect(await parts()).toEqual(dated(current - 1, current, current + 1).sort());
    expect([await count('webhook_delivery'), await count('webhook_notice')]).toEqual([2, 2]);
  });

  it('stay, and are told of, while a notice in them waits to be filed', async () => {
    await makePartition(current - 2);
    await addDelivery(current - 2, 'received');
    expect(await keepPartitions(db.pool)).toEqual({ made: 0, dropped: 0, keptWaiting: 1 });
    expect(await count('webhook_notice')).toBe(1);
    await db.pool.query(`update webhook_notice set status = 'applied'`);
    expect(await keepPartitions(db.pool)).toEqual({ made: 0, dropped: 1, keptWaiting: 0 });
    expect(await count('webhook_delivery')).toBe(0);
  });

  it('are never wanting: what has none stands in the default, which is emptied when all in it is old', async () => {
    await db.pool.query(`drop table webhook_parts.webhook_delivery_${current}, webhook_parts.webhook_notice_${current}`);
    await addDelivery(current);
    await addDelivery(current - 5);
    // The rows that are there keep this period's own partition of deliveries and notices from being made.
    expect(await keepPartitions(db.pool)).toEqual({ made: 0, dropped: 0, keptWaiting: 0 });
    expect(await count('webhook_parts.webhook_delivery_rest')).toBe(2);
    await db.pool.query(`delete from webhook_delivery where period = ${current}`);
    await db.pool.query(`delete from webhook_notice where period = ${current}`);
    expect(await keepPartitions(db.pool)).toEqual({ made: 2, dropped: 1, keptWaiting: 0 });
    expect([await count('webhook_delivery'), await count('webhook_notice')]).toEqual([0, 0]);
  });

  it('are kept by one process at a time; the others have nothing to do', async () => {
    await makePartition(current - 4);
    const busy = await db.pool.connect();
    await busy.query('begin');
    await busy.query('select pg_advisory_xact_lock(1953653097, 1)');
    expect(await keepPartitions(db.pool)).toEqual({ made: 0, dropped: 0, keptWaiting: 0 });
    await busy.query('rollback');
    busy.release();
    expect((await keepPartitions(db.pool)).dropped).toBe(1);
  });
});
