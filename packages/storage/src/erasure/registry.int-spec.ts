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

  it('leaves nothing of a person in any table of records, and all of everybody else', async () => {
    const dated = (user: string) => ({
      tenant_id: 'ten',
      environment: 'test',
      user_id: user,
      provider: 'oura',
      connection_id: `con-${user}`,
      provider_record_id: 'doc',
      source_id: 'src',
      source: '{}',
      local_date: '2026-11-29',
      date_basis: 'provider_date',
      day_model: 'civil',
      provisional: false,
      version: 1,
      inferred: false,
      revision: 1,
      content_hash: Buffer.from('c'),
    });
    const at = '2026-11-29T06:00:00Z';
    const rows: Readonly<Record<string, Record<string, unknown>>> = {
      daily_rollup: { metric: 'steps', value: 1, unit: '{steps}' },
      session_record: { kind: 'workout', record_id: 'r', started_at: at, ended_at: at, detail: '{}' },
      measurement_record: {
        metric: 'body_weight',
        record_id: 'r',
        measured_at: at,
        value: 71,
        unit: 'kg',
        ...{ implausible: false, manual: false, ambiguous: false, undated: false },
      },
      series_day: {
        metric: 'heart_rate',
        item: 'i',
        samples_from: at,
        offsets_s: [0],
        sample_values: [60],
        unit: '/min',
        implausible: false,
      },
    };
    for (const user of ['usr_gone', 'usr_stays']) {
      for (const [table, values] of Object.entries(rows)) {
        const row = { ...dated(user), ...values };
        await db.pool.query(
          `insert into ${table} (${Object.keys(row).join()}) values (${Object.keys(row)
            .map((_, n) => `$${n + 1}`)
            .join()})`,
          Object.values(row),
        );
      }
    }
    for (const { text } of purges) await db.pool.query(text, ['ten', 'test', 'usr_gone']);
    for (const table of Object.keys(rows)) {
      const { rows: left } = await db.pool.query(`select user_id from ${table} where tenant_id = 'ten'`);
      expect([table, left]).toEqual([table, [{ user_id: 'usr_stays' }]]);
    }
  });

  it('every purge is bound to its tenant and environment, and can be planned', async () => {
    for (const { text } of purges) {
      expect(text).toMatch(/tenant_id = \$1 and (\w+\.)?environment = \$2/);
      await db.pool.query(`explain ${text}`, ['ten', 'test', 'usr']);
    }
    expect(new Set(purges.map(({ name }) => name)).size).toBe(purges.length);
  });
});
