import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Calls the next delivery of each person whose one has ended, if it was waiting for its turn: it is due now. In the transaction that ended them.
 * @param eventIds deliveries that have ended. @returns how many were called.
 */
export async function releaseTurns(
  sql: Sql,
  endpoint: Scope & { readonly endpointId: string },
  eventIds: readonly string[],
): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'release-turns',
    text: `
      with ended as (
        select distinct turn_of from event_delivery
         where tenant_id = $1 and environment = $2 and endpoint_id = $3 and event_id = any($4::text[])
           and state not in ('pending', 'sending') and turn_of is not null
      ), next as materialized (
        select n.event_id from ended
         cross join lateral (
           select o.event_id, o.awaits_turn from event_delivery o
            where o.tenant_id = $1 and o.environment = $2 and o.endpoint_id = $3 and o.state in ('pending', 'sending')
              and o.turn_of = ended.turn_of
            order by o.turn limit 1
         ) n where n.awaits_turn
      )
      update event_delivery d set next_attempt_at = now(), awaits_turn = false
        from next
       where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = $3 and d.event_id = next.event_id and d.awaits_turn`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId, pgArray('text', eventIds)],
  });
  return rowCount ?? 0;
}
