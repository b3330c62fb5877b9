import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type TestDatabase, cloneDatabase } from '../../storage/testing/clone-database.js';
import { provesClaimStoreAcrossProcesses } from '../testing/store-processes.js';
import { provesClaimStore } from '../testing/store-suite.js';
import { type ClaimStore } from './claim-store.js';
import { claimTableSql, postgresStore } from './postgres.js';

let db: TestDatabase;
let second: pg.Pool;
let stores: readonly [ClaimStore, ClaimStore];

beforeAll(async () => {
  db = await cloneDatabase();
  second = new pg.Pool({ connectionString: db.url, max: 4 });
  // Dropping the database may cut off a connection of this pool that is about to close.
  second.on('error', () => undefined);
  await db.pool.query(claimTableSql());
  stores = [postgresStore(db.pool), postgresStore(second)];
});
afterAll(async () => {
  await second.end();
  await db.drop();
});

provesClaimStore('the Postgres store', () => ({
  stores,
  pass: async (ms) => void (await sleep(ms)),
  age: async (days) => {
    await db.pool.query(
      `update tributary_claim set done_at = done_at - make_interval(secs => $1), leased_until = leased_until - make_interval(secs => $1),
         claimed_at = claimed_at - make_interval(secs => $1)`,
      [days * 86_400],
    );
    return 0;
  },
}));

provesClaimStoreAcrossProcesses('the Postgres store', () => ['postgres', db.url]);

describe('the table of claims', () => {
  it('can be made again over itself, and under a name of its own in a schema of its own', async () => {
    await db.pool.query(claimTableSql());
    await db.pool.query('create schema receiver');
    await db.pool.query(claimTableSql('receiver.claim'));
    const store = postgresStore(db.pool, { table: 'receiver.claim' });
    expect(await store.claim({ endpoint: 'main', id: 'evt_own' }, 30)).toMatchObject({ is: 'claimed' });
    const { rows } = await db.pool.query('select endpoint, webhook_id, claims from receiver.claim');
    expect(rows).toEqual([{ endpoint: 'main', webhook_id: 'evt_own', claims: 1 }]);
  });
  it.each(['claim; drop table x', 'Claim', '', 'a.b.c', '"claim"'])('is never named %j', (name) => {
    expect(() => claimTableSql(name)).toThrow(TypeError);
    expect(() => postgresStore(db.pool, { table: name })).toThrow(TypeError);
  });
  it('is purged in short steps, to the end', async () => {
    await db.pool.query(
      `insert into receiver.claim (endpoint, webhook_id, done_at, claimed_at)
       select 'old', 'evt_' || n, now() - interval '32 days', now() - interval '33 days' from generate_series(1, 2500) n`,
    );
    expect(await postgresStore(db.pool, { table: 'receiver.claim' }).purge()).toBe(2_500);
    expect((await db.pool.query('select webhook_id from receiver.claim')).rows).toEqual([{ webhook_id: 'evt_own' }]);
  });
  it('is not written to by a duplicate of what is done', async () => {
    const key = { endpoint: 'main', id: 'evt_settled' };
    const claim = await stores[0].claim(key, 30);
    await stores[0].complete(key, (claim as { token: string }).token);
    const version = async () =>
      (await db.pool.query(`select xmin::text, xmax::text from tributary_claim where webhook_id = 'evt_settled'`)).rows;
    const before = await version();
    expect(await stores[1].claim(key, 30)).toEqual({ is: 'done' });
    expect(((await version())[0] as { xmin: string }).xmin).toBe((before[0] as { xmin: string }).xmin);
  });
});
