import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** 'trbo': one process scans at a time. */
const SCAN_LOCK = 0x7472626f;

/**
 * Enabled endpoints with a delivery due now, a lease that ran out included, that do not rest and whose rate is not taken for longer than
 * `aheadMs`. Two index probes for each endpoint, however many rows wait. Nothing when another process is scanning at this moment.
 */
export async function findDueEndpoints(sql: Sql, aheadMs: number): Promise<(Scope & { readonly endpointId: string })[]> {
  const { rows } = await sql.query<Scope & { endpointId: string }>({
    name: 'find-due-endpoints',
    text: `
      select e.tenant_id as "tenantId", e.environment, e.id as "endpointId"
        from endpoint e
        left join endpoint_pace p on p.tenant_id = e.tenant_id and p.environment = e.environment and p.endpoint_id = e.id
       cross join lateral (
         (select from event_delivery d
           where d.tenant_id = e.tenant_id and d.environment = e.environment and d.endpoint_id = e.id
             and d.state in ('pending', 'sending') and least(d.attempts, 1) = 0 and d.next_attempt_at <= now()
           order by d.next_attempt_at limit 1)
         union all
         (select from event_delivery d
           where d.tenant_id = e.tenant_id and d.environment = e.environment and d.endpoint_id = e.id
             and d.state in ('pending', 'sending') and least(d.attempts, 1) = 1 and d.next_attempt_at <= now()
           order by d.next_attempt_at limit 1)
         limit 1) due
       where e.status = 'enabled' and (p.rests_until is null or p.rests_until <= now())
         and (p.rate_taken_until is null or p.rate_taken_until < now() + $2::float8 * interval '1 millisecond')
         and (select pg_try_advisory_xact_lock($1))`,
    values: [SCAN_LOCK, aheadMs],
  });
  return rows;
}
