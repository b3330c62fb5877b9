import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** A collection that can be read by days. */
export interface SweptCollection {
  readonly provider: string;
  readonly collection: string;
  /** The OAuth scope without which it is not asked for; undefined: none is needed. */
  readonly scope: string | undefined;
  /** Most days of one read; undefined: a sweep is short enough. */
  readonly spanDays: number | undefined;
}

/**
 * Windows of the last days for connections whose sweep is due, whether or not a webhook came: what a lost message hid comes to light
 * here. From the first day to tomorrow by UTC, since the person may live ahead of it.
 *
 * No herd: each connection keeps its own place within the interval, whatever stood still meanwhile. One that is late, as all are after a
 * pause of the worker, gets its windows spread over as long as it is late, an interval at most.
 * @returns how many windows were asked for.
 */
export async function planSweeps(sql: Sql, collections: readonly SweptCollection[], limit: number): Promise<number> {
  const column = <K extends keyof SweptCollection>(key: K) => collections.map((collection) => collection[key]);
  const { rowCount } = await sql.query({
    name: 'windows/plan-sweeps',
    text,
    values: [
      pgArray('text', column('provider')),
      pgArray('text', column('collection')),
      pgArray('text', column('scope')),
      pgArray('int4', column('spanDays')),
      limit,
    ],
  });
  return rowCount ?? 0;
}

const text = `
  with asked as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::int4[]) as a (provider, collection, scope, span_days)
  ), due as materialized (
    select c.tenant_id, c.environment, c.id, clock_timestamp() - c.next_sweep_at as late from connection c
    where c.status = 'active' and c.next_sweep_at <= statement_timestamp()
    order by c.next_sweep_at
    limit $5
    for no key update skip locked
  ), moved as (
    -- The next of its own times that is still to come, ±5 %: those that were made at the same moment drift apart.
    update connection c set next_sweep_at = greatest(
      c.next_sweep_at + (floor(extract(epoch from d.late) / e.sweep_interval_s) + 0.95 + 0.1 * random()) * e.sweep_interval_s * interval '1 second',
      clock_timestamp() + e.sweep_interval_s * 0.05 * interval '1 second')
    from due d join environment e on e.tenant_id = d.tenant_id and e.environment = d.environment
    where c.tenant_id = d.tenant_id and c.environment = d.environment and c.id = d.id
    returning c.tenant_id, c.environment, c.id, c.provider, c.scopes, e.sweep_days, e.fetch_lanes,
      least(extract(epoch from d.late), e.sweep_interval_s) as spread_s
  )
  insert into fetch_window as w (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane,
    priority, first_requested_at, due_at)
  select m.tenant_id, m.environment, m.id, p.collection, 'days',
    to_char(greatest(s.first_day, s.last_day - (n.nth + 1) * s.span_days), 'YYYY-MM-DD'), to_char(s.last_day - n.nth * s.span_days, 'YYYY-MM-DD'),
    abs(hashtext(m.id)::bigint) % m.fetch_lanes, 2, clock_timestamp(), clock_timestamp() + random() * m.spread_s * interval '1 second'
  from moved m
  join asked p on p.provider = m.provider and (
    p.scope is null or p.scope = any (m.scopes) or p.scope || '_all' = any (m.scopes)
    -- Scopes in another language than ours forbid nothing: as isPermitted says.
    or cardinality(m.scopes) > 0 and not exists (
      select from asked o where o.provider = m.provider and (o.scope = any (m.scopes) or o.scope || '_all' = any (m.scopes))))
  cross join lateral (
    select (clock_timestamp() at time zone 'UTC')::date - (m.sweep_days - 1) as first_day, (clock_timestamp() at time zone 'UTC')::date + 2 as last_day,
      least(coalesce(p.span_days, m.sweep_days + 1), m.sweep_days + 1) as span_days
  ) s
  cross join lateral generate_series(0, (s.last_day - s.first_day - 1) / s.span_days) as n (nth)
  order by m.tenant_id, m.environment, m.id, p.collection, n.nth
  on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
    state = 'waiting', priority = 2, attempts = 0, contradictions = 0, dirty = false,
    first_requested_at = excluded.first_requested_at, due_at = excluded.due_at
  where w.state in ('settled', 'dead')
  returning 1`;
