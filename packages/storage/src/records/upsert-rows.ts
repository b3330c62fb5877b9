import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { RowWrite } from './record-row.js';
import { type RecordTable, keyList, recordTables } from './record-table.js';
import { type WriteStatement, sendWrites, writesAs } from './send-writes.js';

/**
 * Puts these rows in the place of what is there, each only over an older version: one statement for all rows of a table, whosever they
 * are. Never adds to a stored value. A session that moved to another date stays the same row; samples of a series go as a whole. No key
 * may be given twice.
 * @returns how many were written; fewer than given: somebody wrote beside us, and what was decided is void.
 */
export async function upsertRows(sql: Sql, table: RecordTable, scope: Scope, writes: readonly RowWrite[]): Promise<number> {
  return sendWrites(sql, table, scope, writes, statements.get(table) as WriteStatement);
}

const statements = new Map(recordTables.map((table) => [table, { name: `records/upsert-${table.name}`, text: textOf(table) }]));

function textOf(table: RecordTable): string {
  const { name, columns } = table;
  const names = columns.map((column) => column.name).join(', ');
  return `
    insert into ${name} as t (tenant_id, environment, user_id, provider, connection_id, ${names})
    select $1, $2, r.user_id, r.provider, r.connection_id, ${columns.map((column) => `r.${column.name}${column.cast}`).join(', ')}
    from ${writesAs('r', table)}
    on conflict (tenant_id, environment, user_id, provider, ${keyList(table)}) do update set
      ${columns.map((column) => `${column.name} = excluded.${column.name}`).join(', ')},
      connection_id = excluded.connection_id, deleted = false, delete_reason = null, updated_at = clock_timestamp()
    where excluded.version > t.version`;
}
