import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Nothing more is owed to an endpoint that goes away. @returns the events of the deliveries that were open. */
export async function cancelDeliveries(sql: Sql, { tenantId, environment }: Scope, endpointId: string): Promise<string[]> {
  const { rows } = await sql.query<{ eventId: string }>({
    name: 'cancel-deliveries',
    text: `
      update event_delivery set state = 'cancelled', ended_at = now(), lease_token = null
      where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending')
      returning event_id as "eventId"`,
    values: [tenantId, environment, endpointId],
  });
  return rows.map((row) => row.eventId);
}
