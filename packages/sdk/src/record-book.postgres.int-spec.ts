import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../storage/testing/clone-database.js';
import { eventOf, provesRecordBook } from '../testing/record-suite.js';
import { postgresRecords, recordSql, recordTablesSql } from './postgres.js';

let db: TestDatabase;

beforeAll(async () => {
  db = await cloneDatabase();
  await db.pool.query(recordTablesSql());
});
afterAll(() => db.drop());

provesRecordBook(
  'the Postgres book',
  () => ({
    book: postgresRecords(db.pool),
    held: async (userId) =>
      (
        await db.pool.query<{ at: string; localDate: string; revision: number }>(
          `select concat_ws('/', provider, metric, item) as at, local_date as "localDate", revision::int as revision
             from tributary_record where user_id = $1 and data is not null order by provider collate "C", metric collate "C", item collate "C"`,
          [userId],
        )
      ).rows,
  }),
  15,
);

describe('the tables of records', () => {
  it('hold the data as it was sent, and the civil date as text', async () => {
    const event = eventOf('daily.updated', { user: { id: 'usr_whole', externalId: 'x' }, revision: 4_503_599_627_370_497 });
    await postgresRecords(db.pool).applyIfNewer(event);
    const { rows } = await db.pool.query(`select local_date, revision::text, data from tributary_record where user_id = 'usr_whole'`);
    expect(rows).toEqual([{ local_date: '2026-11-29', revision: '4503599627370497', data: event.data }]);
  });
  it('take part in the transaction of whoever asks', async () => {
    const client = await db.pool.connect();
    try {
      await client.query('begin');
      const event = eventOf('daily.updated', { user: { id: 'usr_undone', externalId: 'x' } });
      expect(await postgresRecords(client).applyIfNewer(event)).toBe('applied');
      await client.query('rollback');
    } finally {
      client.release();
    }
    expect((await db.pool.query(`select 1 from tributary_record where user_id = 'usr_undone'`)).rows).toEqual([]);
    expect((await db.pool.query(`select 1 from tributary_person where user_id = 'usr_undone'`)).rows).toEqual([]);
  });
  it('keep an erasure waiting for a value that is being written, and then delete it', async () => {
    const user = { id: 'usr_race', externalId: 'x' };
    const writer = await db.pool.connect();
    try {
      await writer.query('begin');
      await postgresRecords(writer).applyIfNewer(eventOf('daily.updated', { user }));
      const erasing = postgresRecords(db.pool).applyIfNewer(eventOf('user.erased', { user }));
      expect(await Promise.race([erasing, new Promise((resolve) => setTimeout(resolve, 150, 'waiting'))])).toBe('waiting');
      await writer.query('commit');
      expect(await erasing).toBe('applied');
    } finally {
      writer.release();
    }
    expect((await db.pool.query(`select 1 from tributary_record where user_id = 'usr_race'`)).rows).toEqual([]);
  });
  it('keep a value waiting for an erasure that is under way, and then refuse it', async () => {
    const user = { id: 'usr_race_2', externalId: 'x' };
    const eraser = await db.pool.connect();
    try {
      await eraser.query('begin');
      await eraser.query(recordSql().markErased, [user.id]);
      const writing = postgresRecords(db.pool).applyIfNewer(eventOf('daily.updated', { user, revision: 99 }));
      expect(await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 150, 'waiting'))])).toBe('waiting');
      await eraser.query('commit');
      expect(await writing).toBe('erased');
    } finally {
      eraser.release();
    }
    expect((await db.pool.query(`select 1 from tributary_record where user_id = 'usr_race_2'`)).rows).toEqual([]);
  });
  it('may have names of their own', async () => {
    const tables = { records: 'own_record', people: 'own_person' };
    await db.pool.query(recordTablesSql(tables));
    expect(await postgresRecords(db.pool, tables).applyIfNewer(eventOf('daily.updated', {}))).toBe('applied');
    expect((await db.pool.query('select item from own_record')).rows).toEqual([{ item: '2026-11-29' }]);
    expect(() => recordTablesSql({ records: 'x; drop table y' })).toThrow(TypeError);
  });
});
