import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneDatabase } from '../testing/clone-database.js';
import { inTransaction } from './in-transaction.js';

describe('a transaction', () => {
  let db: Awaited<ReturnType<typeof cloneDatabase>>;
  beforeAll(async () => {
    db = await cloneDatabase();
  });
  afterAll(() => db.drop());

  it('whose connection breaks between two statements fails, and neither the process nor the pool does', async () => {
    await db.pool.query('create table kept (n int)');
    let after: unknown;
    const broken = inTransaction(db.pool, async (client) => {
      await client.query('insert into kept values (1)');
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await sleep(200);
      await client.query('insert into kept values (2)').catch((error: unknown) => {
        after = error;
        throw error;
      });
    });
    await expect(broken).rejects.toThrow();
    expect(after).toBeInstanceOf(Error);
    await inTransaction(db.pool, (client) => client.query('insert into kept values (3)'));
    expect((await db.pool.query('select n from kept')).rows).toEqual([{ n: 3 }]);
  });

  it('that throws leaves nothing behind', async () => {
    await db.pool.query('create table undone (n int)');
    const failed = inTransaction(db.pool, async (client) => {
      await client.query('insert into undone values (1)');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect((await db.pool.query('select n from undone')).rows).toEqual([]);
  });
});
