import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Windows of one backfill that are open at a time, once every collection has its newest days. */
export const OPEN_WINDOWS = 4;

/**
 * Opens the next windows of a running backfill: for each collection the newest days that are not read yet, at first as many as a sweep
 * reads, then as many as are read already, up to what one read may span. A few are open at a time, the newest first; the first window of
 * each collection always. A collection whose window was lost gets it again. Call it after whatever moved the mark, in its transaction;
 * the connection is held (for key share) and the backfill (for update).
 * @returns lanes that have work now; undefined: the backfill has ended, or its connection has.
 */
export async function openBackfillWindows(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<number[] | undefined> {
  const { rows } = await sql.query<{ lanes: number[] | null; runs: boolean }>({
    name: 'backfills/open-backfill-windows',
    text,
    values: [tenantId, environment, id, OPEN_WINDOWS],
  });
  const row = rows[0];
  return row?.runs === true ? (row.lanes ?? []) : undefined;
}

const text = `
  with person as materialized (
    select c.id, c.status, e.sweep_days + 2 as first_days, e.fetch_lanes
    from connection c
    join environment e on e.tenant_id = c.tenant_id and e.environment = c.environment
    where c.tenant_id = $1 and c.environment = $2 and c.status in ('active', 'reauth_required')
      and c.id = (select connection_id from backfill where tenant_id = $1 and environment = $2 and id = $3)
    for key share of c
  ), running as materialized (
    select b.id from backfill b where b.tenant_id = $1 and b.environment = $2 and b.id = $3 and b.state = 'running'
      and exists (select from person)
    for update
  ), part as materialized (
    select p.collection, p.to_date, p.reached, p.span_days,
      greatest(p.from_date, (clock_timestamp() at time zone 'UTC')::date - (p.horizon_days - 1)) as floor_date,
      exists (
        select from fetch_window w
        where w.tenant_id = $1 and w.environment = $2 and w.connection_id = p.connection_id and w.collection = p.collection
          and w.window_kind = 'days' and w.window_start = to_char(p.open_from, 'YYYY-MM-DD')
          and w.window_end = to_char(p.open_to, 'YYYY-MM-DD') and w.backfill_id = $3
          and w.state in ('waiting', 'fetching', 'parked')) as is_open
    from backfill_part p join running r on true
    where p.tenant_id = $1 and p.environment = $2 and p.backfill_id = $3 and p.state = 'running'
  ), waiting as materialized (
    select p.*, row_number() over (order by p.reached desc, p.collection) as place from part p
    where not p.is_open and p.reached > p.floor_date
  ), next as materialized (
    select w.collection, w.reached as to_date,
      greatest(w.floor_date, w.reached - least(w.span_days, greatest(e.first_days, w.to_date - w.reached))::integer) as from_date
    from waiting w cross join person e
    where w.reached = w.to_date or w.place <= $4 - (select count(*) from part where is_open)
  ), marked as (
    update backfill_part p set open_from = n.from_date, open_to = n.to_date
    from next n
    where p.tenant_id = $1 and p.environment = $2 and p.backfill_id = $3 and p.collection = n.collection
  ), ended as (
    -- The provider's history has come closer since the backfill began.
    update backfill_part p set state = 'done', open_from = null, open_to = null
    from part d
    where p.tenant_id = $1 and p.environment = $2 and p.backfill_id = $3 and p.collection = d.collection
      and not d.is_open and d.reached <= d.floor_date
    returning 1
  ), opened as (
    insert into fetch_window as w (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane,
      priority, state, backfill_id, first_requested_at, due_at)
    select $1, $2, e.id, n.collection, 'days', to_char(n.from_date, 'YYYY-MM-DD'), to_char(n.to_date, 'YYYY-MM-DD'),
      abs(hashtext(e.id)::bigint) % e.fetch_lanes, 1, case e.status when 'active' then 'waiting' else 'parked' end, $3,
      clock_timestamp(), clock_timestamp()
    from next n cross join person e
    order by n.collection
    on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
      backfill_id = excluded.backfill_id,
      -- What is being read began before it was asked for: read again.
      dirty = w.state = 'fetching' or (w.dirty and w.state not in ('settled', 'dead')),
      priority = case when w.state in ('settled', 'dead') then 1 else least(w.priority, 1) end,
      attempts = case when w.state in ('settled', 'dead') then 0 else w.attempts end,
      contradictions = case when w.state in ('settled', 'dead') then 0 else w.contradictions end,
      first_requested_at = case when w.state in ('settled', 'dead') then excluded.first_requested_at else w.first_requested_at end,
      -- One that was parked for want of a permission is looked at again: the collection ends there if it is still missing.
      due_at = case when w.state in ('settled', 'dead', 'parked') then excluded.due_at else w.due_at end,
      state = case when w.state in ('settled', 'dead', 'parked') then excluded.state else w.state end
    returning w.lane, w.state
  ), looked as (
    -- Nothing is left to open or to wait for: somebody may close it.
    update backfill b set check_at = clock_timestamp()
    from running r
    where b.tenant_id = $1 and b.environment = $2 and b.id = $3
      and not exists (select from part where is_open or reached > floor_date)
  )
  select (select array_agg(distinct lane) from opened where state = 'waiting') as lanes, exists (select from running) as runs`;
