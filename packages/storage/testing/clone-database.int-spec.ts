import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type TestDatabase, cloneDatabase } from './clone-database.js';
import { testServices } from './test-services.config.js';

describe('cloneDatabase', () => {
  let one: TestDatabase;
  let two: TestDatabase;
  beforeAll(async () => {
    [one, two] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([one.drop(), two.drop()]);
  });

  it('gives every caller a database of its own with the newest schema', async () => {
    await one.pool.query(`insert into tenant (id, name) values ('ten_1', 'one')`);
    const counted = async (db: TestDatabase) => (await db.pool.query('select count(*) as n from tenant')).rows[0].n;
    expect(await counted(one)).toBe(1);
    expect(await counted(two)).toBe(0);
    expect((await two.pool.query('select count(*) as n from bullmq.job')).rows[0].n).toBe(0);
  });

  it('reads types as our processes do: bigint as number, date as text', async () => {
    const { rows } = await one.pool.query(`select 9007199254740991::bigint as big, date '2024-02-29' as day`);
    expect(rows[0]).toEqual({ big: 9007199254740991, day: '2024-02-29' });
  });

  it('drops its database even while somebody is connected', async () => {
    const db = await cloneDatabase();
    const client = new pg.Client({ connectionString: db.url });
    client.on('error', () => undefined);
    await client.connect();
    await db.drop();
    const server = new pg.Client({ connectionString: testServices().databaseUrl });
    await server.connect();
    const { rows } = await server.query('select 1 from pg_database where datname = $1', [new URL(db.url).pathname.slice(1)]);
    await server.end();
    expect(rows).toEqual([]);
  });
});
