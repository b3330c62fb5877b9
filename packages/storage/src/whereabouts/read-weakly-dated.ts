import type { Scope } from '@tributary/domain';
import type { RecordTable } from '../records/record-table.js';
import type { Sql } from '../sql.js';
import { type StoredRow, storedFields, storedRow } from './stored-row.js';

/**
 * Live rows of a connection whose date rests on the customer's word or on nothing, in the order of their revisions.
 * @param after the last revision of the page before.
 */
export async function readWeaklyDated(
  sql: Sql,
  table: RecordTable,
  { tenantId, environment, connectionId }: Scope & { readonly connectionId: string },
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<StoredRow[]> {
  const { rows } = await sql.query<Record<string, unknown>>({
    name: `whereabouts/read-weakly-dated-${table.name}`,
    text: `
      select ${storedFields(table.name)}
      from ${table.name} r
      where r.tenant_id = $1 and r.environment = $2 and r.connection_id = $3 and not r.deleted
        and r.date_basis in ('fallback_zone', 'utc_assumed') and r.revision > $4
      order by r.revision
      limit $5`,
    values: [tenantId, environment, connectionId, after, limit],
  });
  return rows.map(storedRow);
}
