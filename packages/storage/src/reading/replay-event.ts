import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Owes an event again, under its own id: to one endpoint (also one that it was never owed to), or to every endpoint that it was
 * owed to. Attempts go on counting, since each keeps its row. What is being sent at this moment is left alone.
 * @returns the endpoints concerned; disabled ones are not.
 */
export async function replayEvent(
  sql: Sql,
  { tenantId, environment }: Scope,
  eventId: string,
  endpointId: string | undefined,
): Promise<string[]> {
  const { rows } = await sql.query<{ endpointId: string }>({
    name: 'replay-event',
    text: `
      insert into event_delivery as d (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
      select p.tenant_id, p.environment, $3, p.id, now()
      from endpoint p
      where p.tenant_id = $1 and p.environment = $2 and p.status = 'enabled'
        and case when $4::text is null
          then exists (
            select 1 from event_delivery o
            where o.tenant_id = p.tenant_id and o.environment = p.environment and o.event_id = $3 and o.endpoint_id = p.id)
          else p.id = $4 end
      order by p.id
      on conflict (tenant_id, environment, event_id, endpoint_id) do update
        set state = 'pending', next_attempt_at = now(), ended_at = null, lease_token = null
        where d.state <> 'sending'
      returning endpoint_id as "endpointId"`,
    values: [tenantId, environment, eventId, endpointId ?? null],
  });
  return rows.map((row) => row.endpointId);
}
