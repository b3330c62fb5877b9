import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { holdsNobody, purges } from './registry.js';

/** Columns whose name says that they point at a person, and columns wide enough to hold what was said about one. */
const SUSPECTS = `
  select c.table_name || '.' || c.column_name as name
  from information_schema.columns c
  join information_schema.tables t using (table_schema, table_name)
  where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
    and (c.column_name in ('user_id', 'connection_id', 'subject_id', 'external_id') or c.data_type in ('jsonb', 'json', 'bytea'))
  order by 1`;

describe('the registry of erasure', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await cloneDatabase();
  });
  afterAll(() => db.drop());

  const suspects = async () => (await db.pool.query<{ name: string }>(SUSPECTS)).rows.map(({ name }) => name);
  const answered = new Set([
    ...purges.flatMap(({ table, covers }) => covers.map((column) => `${table}.${column}`)),
    ...Object.keys(holdsNobody),
  ]);

  it('answers for every column that could name a person', async () => {
    const found = await suspects();
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((name) => !answered.has(name))).toEqual([]);
  });

  it('would miss a new table that holds a person', async () => {
    await db.pool.query('create table diary (tenant_id text, user_id text, said jsonb)');
    expect((await suspects()).filter((name) => !answered.has(name))).toEqual(['diary.said', 'diary.user_id']);
    await db.pool.query('drop table diary');
  });

  it('names only columns that exist', async () => {
    const { rows } = await db.pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
    );
    const existing = new Set(rows.map(({ name }) => name));
    expect([...answered].filter((name) => !existing.has(name))).toEqual([]);
  });

  it('every purge is bound to its tenant and environment, and can be planned', async () => {
    for (const { text } of purges) {
      expect(text).toMatch(/tenant_id = \$1 and (\w+\.)?environment = \$2/);
      await db.pool.query(`explain ${text}`, ['ten', 'test', 'usr']);
    }
    expect(new Set(purges.map(({ name }) => name)).size).toBe(purges.length);
  });
});
