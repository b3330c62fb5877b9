import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { Confirmation, RecordOwner } from './record-row.js';
import { type RecordTable, keyArrays, keyList, keyMatch, keyParameters, sortRows } from './record-table.js';

/**
 * Raises the version of rows whose content was seen again. No revision: nobody is told.
 * @returns how many still had that content; fewer than were given means that someone wrote meanwhile.
 */
export async function confirmRows(sql: Sql, table: RecordTable, owner: RecordOwner, rows: readonly Confirmation[]): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = sortRows(table, rows);
  const { rowCount } = await sql.query({
    name: `records/confirm-${table.name}`,
    text: `
      with seen as materialized (
        select k.* from unnest($5::int8[], $6::bool[], $7::text[], $8::bytea[], ${keyParameters(table, 9)})
          as k (version, inferred, provider_record_id, content_hash, ${keyList(table)})
        join ${table.name} r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
          and ${keyMatch(table, 'r', 'k')}
        where case when k.content_hash is null then r.deleted else not r.deleted and r.content_hash = k.content_hash end
        order by ${keyList(table, 'r.')}
        for update of r
      ), raised as (
        update ${table.name} t set version = s.version, inferred = s.inferred, provider_record_id = s.provider_record_id
        from seen s
        where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4
          and ${keyMatch(table, 't', 's')} and t.version < s.version
      )
      select 1 from seen`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      pgArray(
        'int8',
        sorted.map((r) => r.version),
      ),
      pgArray(
        'bool',
        sorted.map((r) => r.inferred),
      ),
      pgArray(
        'text',
        sorted.map((r) => r.providerRecordId),
      ),
      pgArray(
        'bytea',
        sorted.map((r) => r.contentHash),
      ),
      ...keyArrays(table, sorted),
    ],
  });
  return rowCount ?? 0;
}
