import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { RowWrite } from './record-row.js';
import { type RecordTable, ownedKeyList, ownedKeyMatch, recordTables } from './record-table.js';
import { type WriteStatement, sendWrites, writesAs } from './send-writes.js';

/**
 * {@link upsertRows} for rows that are known to be there: they are found once, and not locked before they are written, which saves a third.
 * @returns how many were written; fewer than given: somebody wrote beside us, and what was decided is void.
 */
export async function replaceRows(sql: Sql, table: RecordTable, scope: Scope, writes: readonly RowWrite[]): Promise<number> {
  return sendWrites(sql, table, scope, writes, statements.get(table) as WriteStatement);
}

const statements = new Map(recordTables.map((table) => [table, { name: `records/replace-${table.name}`, text: textOf(table) }]));

function textOf(table: RecordTable): string {
  const { columns } = table;
  const ofTheKey = ownedKeyList(table).split(', ');
  const changing = columns.filter(({ name }) => !ofTheKey.includes(name));
  return `
    update ${table.name} t set ${changing.map(({ name, cast }) => `${name} = r.${name}${cast}`).join(', ')},
      connection_id = r.connection_id, deleted = false, delete_reason = null, updated_at = clock_timestamp()
    from ${writesAs('r', table)}
    where ${ownedKeyMatch(table, 't', 'r')} and t.version < r.version`;
}
