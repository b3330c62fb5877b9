import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface Backlog {
  /** Deliveries that are not done; no more than `limit` are counted. */
  readonly count: number;
  /** There are more than that. */
  readonly more: boolean;
  /** Age of the oldest of those that were counted, in whole seconds; null: nothing is owed. */
  readonly oldestS: number | null;
}

/**
 * What an endpoint is owed. Of a long queue only its front is looked at, first attempts and retries by the time when they are due: then the
 * age is that of the oldest there.
 */
export async function readBacklog(sql: Sql, endpoint: Scope & { readonly endpointId: string }, limit: number): Promise<Backlog> {
  const { rows } = await sql.query<{ count: number; oldestS: number | null }>({
    name: 'attempts/read-backlog',
    text: `
      select count(*)::int4 as count, greatest(0, floor(extract(epoch from now() - min(created_at))))::int4 as "oldestS"
      from (
        (select created_at from event_delivery
          where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 0
          order by next_attempt_at limit $4)
        union all
        (select created_at from event_delivery
          where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 1
          order by next_attempt_at limit $4)
      ) owed`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId, limit + 1],
  });
  const { count, oldestS } = rows[0] as (typeof rows)[0];
  return { count: Math.min(count, limit), more: count > limit, oldestS: count === 0 ? null : oldestS };
}
