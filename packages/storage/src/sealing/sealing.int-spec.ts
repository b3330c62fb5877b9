import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, cloneDatabase } from '../../testing/clone-database.js';
import { notResealed, sealedColumns } from './sealed-columns.js';

describe('sealed columns', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await cloneDatabase({ poolSize: 1 });
  });
  afterAll(() => db.drop());

  it('every column of bytes is sealed anew when keys change, or says why not', async () => {
    const { rows } = await db.pool.query<{ name: string }>(`
      select distinct c.relname || '.' || a.attname as name
        from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
         and a.atttypid = 'bytea'::regtype
       order by 1`);
    const named = [...sealedColumns.map(({ table, column }) => `${table}.${column}`), ...Object.keys(notResealed)].sort();
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.map(({ name }) => name).sort()).toEqual(named);
  });
});
