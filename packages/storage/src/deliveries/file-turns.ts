import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Writes at due deliveries of an ordered endpoint in whose queue they stand, and where: by the revision of their event. Events are asked for by
 * a range of one id: by its order their own key alone serves, also where the statistics know nothing of a tenant.
 */
export async function fileTurns(sql: Sql, endpoint: Scope & { readonly endpointId: string }, limit: number): Promise<void> {
  await sql.query({
    name: 'file-turns',
    text: `
      with first_tries as materialized (
        select ctid as at, event_id from event_delivery
         where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 0
           and next_attempt_at <= now() and turn is null
         order by next_attempt_at limit $4 for update skip locked
      ), retries as materialized (
        select ctid as at, event_id from event_delivery
         where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 1
           and next_attempt_at <= now() and turn is null
         order by next_attempt_at limit $4 for update skip locked
      ), due as (
        select * from first_tries union all select * from retries
      )
      update event_delivery d set turn_of = e.user_id, turn = coalesce(e.revision, 0)
        from due
        left join lateral (
          select user_id, revision from event where tenant_id = $1 and environment = $2 and id >= due.event_id and id <= due.event_id order by id limit 1
        ) e on true
       where d.ctid = due.at`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId, limit],
  });
}
