import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Windows of the last days for connections whose sweep is due, whether or not a webhook came: what a lost message hid comes to light
 * here. From the first day to tomorrow by UTC, since the person may live ahead of it. The next sweep is moved with ±10 % of jitter.
 * @param collections those that can be read by days, as pairs of provider and collection.
 * @returns how many windows were asked for.
 */
export async function planSweeps(
  sql: Sql,
  collections: readonly { readonly provider: string; readonly collection: string }[],
  limit: number,
): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'windows/plan-sweeps',
    text,
    values: [
      pgArray(
        'text',
        collections.map((c) => c.provider),
      ),
      pgArray(
        'text',
        collections.map((c) => c.collection),
      ),
      limit,
    ],
  });
  return rowCount ?? 0;
}

const text = `
  with due as materialized (
    select c.tenant_id, c.environment, c.id from connection c
    where c.status = 'active' and c.next_sweep_at <= clock_timestamp()
    order by c.next_sweep_at
    limit $3
    for no key update skip locked
  ), moved as (
    update connection c set next_sweep_at = clock_timestamp() + e.sweep_interval_s * (0.9 + 0.2 * random()) * interval '1 second'
    from due d join environment e on e.tenant_id = d.tenant_id and e.environment = d.environment
    where c.tenant_id = d.tenant_id and c.environment = d.environment and c.id = d.id
    returning c.tenant_id, c.environment, c.id, c.provider, e.sweep_days, e.fetch_lanes
  )
  insert into fetch_window as w (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane,
    priority, first_requested_at, due_at)
  select m.tenant_id, m.environment, m.id, p.collection, 'days',
    to_char((clock_timestamp() at time zone 'UTC')::date - (m.sweep_days - 1), 'YYYY-MM-DD'),
    to_char((clock_timestamp() at time zone 'UTC')::date + 2, 'YYYY-MM-DD'),
    abs(hashtext(m.id)::bigint) % m.fetch_lanes, 2, clock_timestamp(), clock_timestamp()
  from moved m
  join unnest($1::text[], $2::text[]) as p (provider, collection) on p.provider = m.provider
  order by m.tenant_id, m.environment, m.id, p.collection
  on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
    state = 'waiting', priority = 2, attempts = 0, contradictions = 0, dirty = false,
    first_requested_at = excluded.first_requested_at, due_at = excluded.due_at
  where w.state in ('settled', 'dead')
  returning 1`;
