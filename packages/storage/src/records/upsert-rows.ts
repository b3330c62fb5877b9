import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RowWrite } from './record-row.js';
import { type RecordTable, compareRows, keyList, recordTables } from './record-table.js';

/**
 * Puts these rows in the place of what is there, each only over an older version: one statement for all rows of a table, whosever they
 * are. Never adds to a stored value. A session that moved to another date stays the same row; samples of a series go as a whole. No key
 * may be given twice.
 * @returns how many were written; fewer than given: somebody wrote beside us, and what was decided is void.
 */
export async function upsertRows(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment }: Scope,
  writes: readonly RowWrite[],
): Promise<number> {
  if (writes.length === 0) return 0;
  const sorted = [...writes].sort((a, b) => compareRows(table, a.row, b.row));
  const { rowCount } = await sql.query({
    name: `records/upsert-${table.name}`,
    text: texts.get(table) as string,
    values: [
      tenantId,
      environment,
      ...(['userId', 'provider', 'connectionId'] as const).map((field) =>
        pgArray(
          'text',
          sorted.map(({ row }) => row.owner[field]),
        ),
      ),
      ...table.columns.map((column) =>
        pgArray(
          column.type,
          sorted.map((write) => column.of(write)),
        ),
      ),
    ],
  });
  return rowCount ?? 0;
}

const texts = new Map(recordTables.map((table) => [table, textOf(table)]));

function textOf(table: RecordTable): string {
  const { name, columns } = table;
  const names = columns.map((column) => column.name).join(', ');
  return `
    insert into ${name} as t (tenant_id, environment, user_id, provider, connection_id, ${names})
    select $1, $2, r.user_id, r.provider, r.connection_id, ${columns.map((column) => `r.${column.name}${column.cast}`).join(', ')}
    from unnest($3::text[], $4::text[], $5::text[], ${columns.map(({ type }, index) => `$${index + 6}::${type}[]`).join(', ')})
      as r (user_id, provider, connection_id, ${names})
    on conflict (tenant_id, environment, user_id, provider, ${keyList(table)}) do update set
      ${columns.map((column) => `${column.name} = excluded.${column.name}`).join(', ')},
      connection_id = excluded.connection_id, deleted = false, delete_reason = null, updated_at = clock_timestamp()
    where excluded.version > t.version`;
}
