import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Owes an event no longer to one endpoint: it is about that endpoint, which cannot be told. In the transaction that wrote the event. */
export async function withholdEvent(sql: Sql, endpoint: Scope & { readonly endpointId: string }, eventId: string): Promise<void> {
  await sql.query({
    name: 'withhold-event',
    text: 'delete from event_delivery where tenant_id = $1 and environment = $2 and event_id = $3 and endpoint_id = $4',
    values: [endpoint.tenantId, endpoint.environment, eventId, endpoint.endpointId],
  });
}
