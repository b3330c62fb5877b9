import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecoveredState } from './recovery.js';

export interface RecoveredPairs extends Scope {
  /** `eventIds[n]` goes to `endpointIds[n]`. */
  readonly eventIds: readonly string[];
  readonly endpointIds: readonly string[];
  readonly states: readonly RecoveredState[];
}

/**
 * Makes deliveries due again, under the ids of their events, and those that never were for the first time. Call it once people and events
 * are held: what was erased since is not there any more, and what waits or is being sent is left alone.
 *
 * A delivery that had its attempts begins its schedule anew at the second one: it has all retries before it, and stands with them, behind
 * first attempts.
 * @returns the endpoint of each delivery.
 */
export async function oweRecovered(sql: Sql, { tenantId, environment, eventIds, endpointIds, states }: RecoveredPairs): Promise<string[]> {
  const { rows } = await sql.query<{ endpointId: string }>({
    name: 'recoveries/owe-recovered',
    text: `
      with pair as materialized (
        select n.event_id, n.endpoint_id
        from unnest($3::text[], $4::text[]) as n (event_id, endpoint_id)
        join event e on e.tenant_id = $1 and e.environment = $2 and e.id = n.event_id and e.data is not null
        join endpoint p on p.tenant_id = $1 and p.environment = $2 and p.id = n.endpoint_id and p.status = 'enabled'
      ), again as (
        update event_delivery d
        set state = 'pending', attempts = least(d.attempts, 1), attempts_total = greatest(d.attempts_total, d.attempts), next_attempt_at = now(), ended_at = null, lease_token = null
        from pair n
        where d.tenant_id = $1 and d.environment = $2 and d.event_id = n.event_id and d.endpoint_id = n.endpoint_id
          and d.state in ('failed', 'cancelled', 'delivered') and d.state = any ($5::text[])
        returning d.endpoint_id
      ), first as (
        insert into event_delivery (tenant_id, environment, event_id, endpoint_id, next_attempt_at)
        select $1, $2, n.event_id, n.endpoint_id, now() from pair n where 'missing' = any ($5::text[])
        on conflict (tenant_id, environment, event_id, endpoint_id) do nothing
        returning endpoint_id
      )
      select endpoint_id as "endpointId" from again union all select endpoint_id from first`,
    values: [tenantId, environment, pgArray('text', eventIds), pgArray('text', endpointIds), pgArray('text', states)],
  });
  return rows.map(({ endpointId }) => endpointId);
}
