import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Removes deliveries whose events are gone: who had claimed them sends nothing more of them, and whoever erased the events need not wait any
 * longer. Deliveries of events that are there are left alone.
 * @param endpointId null: of all endpoints.
 */
export async function letGoOfErased(
  sql: Sql,
  { tenantId, environment }: Scope,
  { endpointId, eventIds }: { readonly endpointId: string | null; readonly eventIds: readonly string[] },
): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'let-go-of-erased',
    text: `
      delete from event_delivery d
       where d.tenant_id = $1 and d.environment = $2 and d.event_id = any($3::text[]) and ($4::text is null or d.endpoint_id = $4)
         and not exists (select from event e where e.tenant_id = $1 and e.environment = $2 and e.id = d.event_id)`,
    values: [tenantId, environment, pgArray('text', eventIds), endpointId],
  });
  return rowCount ?? 0;
}
