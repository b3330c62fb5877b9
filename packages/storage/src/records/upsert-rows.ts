import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecordKey, RecordOwner, RecordRow, Revised } from './record-row.js';
import { type RecordTable, keyFields, keyList, recordTables, rowName, sortRows } from './record-table.js';

/**
 * Puts these rows in the place of what is there, each only over an older version: one statement for all rows of a table. Never adds to
 * a stored value. A session that moved to another date stays the same row; samples of a series go as a whole.
 * @returns names of the rows that were written; a row that is left out lost to what is there.
 */
export async function upsertRows(
  sql: Sql,
  table: RecordTable,
  owner: RecordOwner,
  rows: readonly Revised<RecordRow>[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const sorted = sortRows(table, rows);
  const { rows: written } = await sql.query<Omit<RecordKey, 'table'>>({
    name: `records/upsert-${table.name}`,
    text: texts.get(table) as string,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      owner.connectionId,
      ...table.columns.map((column) =>
        pgArray(
          column.type,
          sorted.map((row) => column.of(row)),
        ),
      ),
    ],
  });
  return new Set(written.map((key) => rowName({ ...key, table: table.name })));
}

const texts = new Map(recordTables.map((table) => [table, textOf(table)]));

function textOf(table: RecordTable): string {
  const { name, columns } = table;
  const names = columns.map((column) => column.name).join(', ');
  return `
    insert into ${name} as t (tenant_id, environment, user_id, provider, connection_id, ${names})
    select $1, $2, $3, $4, $5, ${columns.map((column) => `r.${column.name}${column.cast}`).join(', ')}
    from unnest(${columns.map(({ type }, index) => `$${index + 6}::${type}[]`).join(', ')}) as r (${names})
    on conflict (tenant_id, environment, user_id, provider, ${keyList(table)}) do update set
      ${columns.map((column) => `${column.name} = excluded.${column.name}`).join(', ')},
      connection_id = excluded.connection_id, deleted = false, delete_reason = null, updated_at = clock_timestamp()
    where excluded.version > t.version
    returning ${keyFields(table, '')}`;
}
