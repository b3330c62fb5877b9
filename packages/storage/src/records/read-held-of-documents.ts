import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { heldFields } from './read-held.js';
import type { HeldRow, RecordOwner } from './record-row.js';
import { type RecordTable, keyList } from './record-table.js';

/** Rows that came from these documents of the provider: all that a delete notice names. */
export async function readHeldOfDocuments(
  sql: Sql,
  table: RecordTable,
  owner: RecordOwner,
  documents: readonly string[],
  lock: boolean,
): Promise<HeldRow[]> {
  if (documents.length === 0) return [];
  const { rows } = await sql.query<HeldRow & Record<string, unknown>>({
    name: `records/read-${table.name}-of-documents${lock ? '-locked' : ''}`,
    text: `
      select ${heldFields(table)}
      from ${table.name} r
      where r.tenant_id = $1 and r.environment = $2 and r.connection_id = $3 and r.provider_record_id = any($4::text[])
      order by ${keyList(table, 'r.')}
      ${lock ? 'for update' : ''}`,
    values: [owner.tenantId, owner.environment, owner.connectionId, pgArray('text', documents)],
  });
  return rows;
}
