import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RowWrite } from './record-row.js';
import { type RecordTable, compareRows, ownedKeyList, ownedKeyMatch, recordTables } from './record-table.js';

/**
 * {@link upsertRows} for rows that are known to be there: they are found once, and not locked before they are written, which saves a third.
 * @returns how many were written; fewer than given: somebody wrote beside us, and what was decided is void.
 */
export async function replaceRows(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment }: Scope,
  writes: readonly RowWrite[],
): Promise<number> {
  if (writes.length === 0) return 0;
  const sorted = [...writes].sort((a, b) => compareRows(table, a.row, b.row));
  const { rowCount } = await sql.query({
    name: `records/replace-${table.name}`,
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
  const { columns } = table;
  const ofTheKey = ownedKeyList(table).split(', ');
  const changing = columns.filter(({ name }) => !ofTheKey.includes(name));
  return `
    update ${table.name} t set ${changing.map(({ name, cast }) => `${name} = r.${name}${cast}`).join(', ')},
      connection_id = r.connection_id, deleted = false, delete_reason = null, updated_at = clock_timestamp()
    from unnest($3::text[], $4::text[], $5::text[], ${columns.map(({ type }, index) => `$${index + 6}::${type}[]`).join(', ')})
      as r (user_id, provider, connection_id, ${columns.map(({ name }) => name).join(', ')})
    where ${ownedKeyMatch(table, 't', 'r')} and t.version < r.version`;
}
