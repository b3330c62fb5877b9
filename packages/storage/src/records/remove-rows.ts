import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecordKey, RecordOwner, Removal, Revised } from './record-row.js';
import { type RecordTable, keyArrays, keyFields, keyList, keyMatch, keyParameters, rowName, sortRows } from './record-table.js';

/**
 * Marks these rows as gone, each only over an older version. The row stays, so that an older read cannot bring it back.
 * @returns names of the rows that were marked.
 */
export async function removeRows(
  sql: Sql,
  table: RecordTable,
  owner: RecordOwner,
  rows: readonly Revised<RecordKey>[],
  { version, inferred, reason }: Removal,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const sorted = sortRows(table, rows);
  const { rows: written } = await sql.query<Omit<RecordKey, 'table'>>({
    name: `records/remove-${table.name}`,
    text: `
      update ${table.name} t set deleted = true, delete_reason = $5, version = $6, inferred = $7, revision = k.revision,
        updated_at = clock_timestamp()
      from unnest($8::int8[], ${keyParameters(table, 9)}) as k (revision, ${keyList(table)})
      where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4 and ${keyMatch(table, 't', 'k')}
        and t.version < $6 and not t.deleted
      returning ${keyFields(table, 't.')}`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      reason,
      version,
      inferred,
      pgArray(
        'int8',
        sorted.map((k) => k.revision),
      ),
      ...keyArrays(table, sorted),
    ],
  });
  return new Set(written.map((key) => rowName({ ...key, table: table.name })));
}
