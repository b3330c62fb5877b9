import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface EventDeliveryRow {
  readonly endpointId: string;
  readonly state: 'pending' | 'sending' | 'delivered' | 'failed' | 'cancelled';
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly endedAt: Date | null;
}

export async function listDeliveriesOfEvent(sql: Sql, { tenantId, environment }: Scope, eventId: string): Promise<EventDeliveryRow[]> {
  const { rows } = await sql.query<EventDeliveryRow & Record<string, unknown>>({
    name: 'list-deliveries-of-event',
    text: `
      select endpoint_id as "endpointId", state, attempts, next_attempt_at as "nextAttemptAt", ended_at as "endedAt"
      from event_delivery where tenant_id = $1 and environment = $2 and event_id = $3
      order by endpoint_id`,
    values: [tenantId, environment, eventId],
  });
  return rows;
}
