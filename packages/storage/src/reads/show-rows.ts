import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordKey, RecordOwner } from '../records/record-row.js';
import { type RecordTable, keyArrays, keyFields, keyList, keyMatch, keyParameters, rowName, sortRows } from '../records/record-table.js';
import type { Sql } from '../sql.js';
import type { Withdrawal } from './withdraw-rows.js';

/** Shows rows again that were hidden, as they were. @returns names of those that were shown: nobody has written them since they were read. */
export async function showRows(
  sql: Sql,
  table: RecordTable,
  owner: Scope & RecordOwner,
  rows: readonly Withdrawal[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const sorted = sortRows(table, rows);
  const { rows: written } = await sql.query<Omit<RecordKey, 'table'>>({
    name: `reads/show-${table.name}`,
    text: `
      update ${table.name} t set deleted = false, delete_reason = null, version = t.version + 1, inferred = true, revision = k.revision,
        updated_at = clock_timestamp()
      from unnest($5::int8[], $6::int8[], ${keyParameters(table, 7)}) as k (revision, old_version, ${keyList(table)})
      where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4 and ${keyMatch(table, 't', 'k')}
        and t.version = k.old_version and t.deleted and t.delete_reason = 'permission_revoked'
      returning ${keyFields(table, 't.')}`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      pgArray(
        'int8',
        sorted.map((row) => row.revision),
      ),
      pgArray(
        'int8',
        sorted.map((row) => row.version),
      ),
      ...keyArrays(table, sorted),
    ],
  });
  return new Set(written.map((key) => rowName({ ...key, table: table.name })));
}
