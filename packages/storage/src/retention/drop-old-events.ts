import type { Scope } from '@tributary/domain';
import { ATTEMPT_DAYS } from '../attempts/keep-attempt-partitions.js';
import type { Sql } from '../sql.js';

/**
 * An environment that keeps its events about as long as attempts are kept, as they all do unless they say otherwise, keeps them for two days more: by
 * then the partitions of their attempts went whole, and nearly none is left to delete one by one.
 */
const LONGER = { from: ATTEMPT_DAYS - 1, days: ATTEMPT_DAYS + 2 };

/**
 * Drops the oldest events that are past their days, with their deliveries and attempts, whatever came of those: what a disabled endpoint
 * never got ends here too, and with it the last that an event about an erased person says. Readers of changes who have not come so far
 * are told. Attempts go with their events in any case, since an erasure finds a person's attempts through them. What is being sent at this moment waits for the next time. @returns how many went.
 */
export async function dropOldEvents(sql: Sql, { tenantId, environment }: Scope, most: number): Promise<number> {
  const { rows } = await sql.query<{ dropped: number }>({
    name: 'retention/drop-old-events',
    text: `
      with kept as (
        select clock_timestamp() - make_interval(days => case when event_days >= $4 then greatest(event_days, $5) else event_days end) as since from environment
        where tenant_id = $1 and environment = $2
      ), oldest as materialized (
        select e.id, e.occurred_at from event e
        where e.tenant_id = $1 and e.environment = $2 order by e.revision limit $3
      ), old as materialized (
        select o.id from oldest o, kept
        where o.occurred_at < kept.since
          and not exists (select from event_delivery d
                          where d.tenant_id = $1 and d.environment = $2 and d.event_id = o.id and d.state = 'sending'
                            and d.next_attempt_at > clock_timestamp())
      ), attempts as (
        delete from delivery_attempt a using old where a.tenant_id = $1 and a.environment = $2 and a.event_id = old.id
      ), deliveries as (
        delete from event_delivery d using old where d.tenant_id = $1 and d.environment = $2 and d.event_id = old.id
      ), gone as (
        delete from event e using old where e.tenant_id = $1 and e.environment = $2 and e.id = old.id returning e.revision
      ), told as (
        update environment set changes_floor = greatest(changes_floor, (select max(revision) from gone))
        where tenant_id = $1 and environment = $2 and exists (select from gone)
      )
      select count(*)::integer as dropped from gone`,
    values: [tenantId, environment, most, LONGER.from, LONGER.days],
  });
  return rows[0]?.dropped ?? 0;
}
