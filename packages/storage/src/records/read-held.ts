import type { Sql } from '../sql.js';
import type { HeldRow, RecordKey, RecordOwner } from './record-row.js';
import { type RecordTable, keyArrays, keyFields, keyList, keyMatch, keyParameters, sortRows } from './record-table.js';

/** How the rows of these keys stand; keys that have no row are left out. `lock`: hold them for the rest of the transaction. */
export async function readHeld(
  sql: Sql,
  table: RecordTable,
  owner: RecordOwner,
  keys: readonly RecordKey[],
  lock: boolean,
): Promise<HeldRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql.query<HeldRow & Record<string, unknown>>({
    name: `records/read-${table.name}${lock ? '-locked' : ''}`,
    text: `
      select ${heldFields(table)}
      from unnest(${keyParameters(table, 5)}) as k (${keyList(table)})
      join ${table.name} r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
        and ${keyMatch(table, 'r', 'k')}
      order by ${keyList(table, 'r.')}
      ${lock ? 'for update of r' : ''}`,
    values: [owner.tenantId, owner.environment, owner.userId, owner.provider, ...keyArrays(table, sortRows(table, keys))],
  });
  return rows;
}

/** What of a row, called `r`, the version gate looks at. */
export function heldFields(table: RecordTable): string {
  const date = table.key.includes('localDate') ? '' : 'r.local_date as "localDate", ';
  return `'${table.name}' as "table", ${keyFields(table, 'r.')}, ${date}r.version, r.content_hash as "contentHash", r.deleted,
        r.provider_record_id as "providerRecordId", r.source`;
}
