import { pgArray } from '../pg-array.js';
import type { RecordTable } from '../records/record-table.js';
import type { Sql } from '../sql.js';
import { type StoredRow, storedFields, storedRow } from '../whereabouts/stored-row.js';
import type { CollectionsOfConnection } from './read-rows-of-collections.js';

/** Some rows of these collections that are hidden since they might not be read any more, with all that they held. */
export async function readHiddenRows(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment, connectionId, collections }: CollectionsOfConnection,
  limit: number,
): Promise<StoredRow[]> {
  const { rows } = await sql.query<Record<string, unknown>>({
    name: `reads/hidden-${table.name}`,
    text: `
      select ${storedFields(table.name)}
      from ${table.name} r
      where r.tenant_id = $1 and r.environment = $2 and r.connection_id = $3 and r.collection = any($4::text[])
        and r.deleted and r.delete_reason = 'permission_revoked'
      limit $5`,
    values: [tenantId, environment, connectionId, pgArray('text', collections), limit],
  });
  return rows.map(storedRow);
}
