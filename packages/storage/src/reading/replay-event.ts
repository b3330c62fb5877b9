import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ReplayedAt {
  readonly endpointId: string;
  /** False: it waits or is being sent already, and is left as it is. */
  readonly again: boolean;
}

/**
 * Owes an event again, under its own id: to one endpoint (also one that it was never owed to), or to every endpoint that it was
 * owed to. Attempts go on counting, since each keeps its row. What waits or is being sent is left alone.
 * @returns the endpoints concerned; disabled ones are not.
 */
export async function replayEvent(
  sql: Sql,
  { tenantId, environment }: Scope,
  eventId: string,
  endpointId: string | undefined,
): Promise<ReplayedAt[]> {
  const { rows } = await sql.query<ReplayedAt & Record<string, unknown>>({
    name: 'replay-event',
    text: `
      with concerned as materialized (
        select p.id from endpoint p
        where p.tenant_id = $1 and p.environment = $2 and p.status = 'enabled'
          and case when $4::text is null
            then exists (
              select 1 from event_delivery o
              where o.tenant_id = p.tenant_id and o.environment = p.environment and o.event_id = $3 and o.endpoint_id = p.id)
            else p.id = $4 end
      ), replayed as (
        insert into event_delivery as d (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
        select $1, $2, $3, id, now() from concerned
        order by id
        on conflict (tenant_id, environment, event_id, endpoint_id) do update
          set state = 'pending', next_attempt_at = now(), ended_at = null, lease_token = null
          where d.state not in ('pending', 'sending')
        returning endpoint_id
      )
      select c.id as "endpointId", r.endpoint_id is not null as again
      from concerned c left join replayed r on r.endpoint_id = c.id
      order by c.id`,
    values: [tenantId, environment, eventId, endpointId ?? null],
  });
  return rows;
}
