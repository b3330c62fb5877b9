import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface FiledNotices {
  /** Notices that were taken; fewer than the limit: none is left. */
  readonly taken: number;
  readonly covered: number;
  /** Lanes with a window that is due at once. */
  readonly dueLanes: readonly number[];
}

/**
 * Turns waiting notices of one environment into windows: one statement for up to `limit` notices. Per window it does what
 * `fileNotices` of packages/domain says, which it is tested against.
 *
 * The connection is held (for key share) before its notices are taken, so an erasure that came first leaves nothing to file, and one
 * that comes later waits. A notice whose connection ended gives no window; one whose connection is gone is deleted.
 */
export async function fileNotices(sql: Sql, { tenantId, environment }: Scope, limit: number): Promise<FiledNotices> {
  const { rows } = await sql.query<{ taken: number; covered: number; due_lanes: number[] | null }>({
    name: 'windows/file-notices',
    text,
    values: [tenantId, environment, limit],
  });
  const row = rows[0] as (typeof rows)[0];
  return { taken: row.taken, covered: row.covered, dueLanes: row.due_lanes ?? [] };
}

// However long the backlog is and whatever the planner knows of it (a new partition has no statistics at all), a slice reads its own
// notices and windows and no others: one look into an index for each (`lateral … limit 1` cannot become a join), and rows are written
// where they were found (`ctid`, which is unique within a partition only). Conditions in `… is true` are checked, and tempt nobody to go
// through an index of the whole backlog; lists in them are hashed.
const text = `
  with settings as materialized (
    select debounce_ms * interval '1 millisecond' as debounce, max_wait_ms * interval '1 millisecond' as max_wait, fetch_lanes,
      clock_timestamp() as now
    from environment where tenant_id = $1 and environment = $2
  ), candidate as materialized (
    select tableoid as part, ctid as place, period, received_at, delivery_key, ordinal, connection_id
    from webhook_notice
    where tenant_id = $1 and environment = $2 and status = 'received'
    order by received_at
    limit $3
  ), alive as materialized (
    select c.id, c.status
    from (select distinct connection_id from candidate order by 1) k
    cross join lateral (
      select id, status from connection
      where tenant_id = $1 and environment = $2 and id = k.connection_id
      limit 1
      for key share) c
  ), orphan as (
    delete from webhook_notice n
    where (n.tenant_id = $1 and n.environment = $2 and n.status = 'received') is true
      and n.ctid = any(array(select place from candidate where connection_id not in (select id from alive)))
      and ((n.tableoid, n.ctid) in (select part, place from candidate where connection_id not in (select id from alive))) is true
    returning 1
  ), taken as materialized (
    select n.*, case
      when (k.connection_id in (select id from alive where status = 'active')) is true then 'active'
      when (k.connection_id in (select id from alive where status = 'reauth_required')) is true then 'reauth_required'
      else 'ended' end as connection_status
    from candidate k
    cross join lateral (
      select o.*, o.tableoid as part, o.ctid as place from webhook_notice o
      where o.tenant_id = $1 and o.environment = $2 and o.period = k.period and o.received_at = k.received_at
        and o.delivery_key = k.delivery_key and o.ordinal = k.ordinal and o.connection_id = k.connection_id and o.status = 'received'
      limit 1
      for update skip locked) n
    where (k.connection_id in (select id from alive)) is true
  ), judged as materialized (
    select t.*,
      case
        when t.connection_status = 'ended' then 'dead'
        when t.version < w.covered_version or t.version = w.covered_version and t.version % 1000000 <> 0 then 'applied'
        else 'windowed'
      end as next_status
    from taken t
    left join lateral (
      select covered_version from fetch_window
      where tenant_id = $1 and environment = $2 and connection_id = t.connection_id and collection = t.collection
        and window_kind = t.window_kind and window_start = t.window_start and window_end = t.window_end
      limit 1) w on true
  ), wish as (
    select connection_id, connection_status, collection, window_kind, window_start, window_end,
      count(*)::integer as notices, max(version) as version, bool_or(version is null) as unversioned,
      (array_agg(kind order by version desc nulls first, received_at desc, delivery_key desc, ordinal desc))[1] as kind
    from judged where next_status = 'windowed'
    group by 1, 2, 3, 4, 5, 6
  ), filed as (
    insert into fetch_window as w (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane,
      state, expects, requested_version, notices, first_requested_at, due_at)
    select $1, $2, i.connection_id, i.collection, i.window_kind, i.window_start, i.window_end,
      abs(hashtext(i.connection_id)::bigint) % s.fetch_lanes,
      case i.connection_status when 'active' then 'waiting' else 'parked' end,
      i.kind, i.version, i.notices, s.now, s.now + least(s.debounce, s.max_wait)
    from wish i cross join settings s
    order by i.connection_id, i.collection, i.window_kind, i.window_start, i.window_end
    on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
      notices = w.notices + excluded.notices,
      priority = 0,
      requested_version = greatest(w.requested_version, excluded.requested_version),
      expects = case
        when w.requested_version is null or excluded.requested_version is null or excluded.requested_version >= w.requested_version
          or exists (select 1 from wish i where i.unversioned and (i.connection_id, i.collection, i.window_kind, i.window_start, i.window_end)
            = (w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end))
        then excluded.expects else w.expects end,
      dirty = case w.state
        when 'fetching' then w.dirty or w.requested_version is null or coalesce(excluded.requested_version > w.requested_version
            or excluded.requested_version = w.requested_version and excluded.requested_version % 1000000 = 0, true)
          or exists (select 1 from wish i where i.unversioned and (i.connection_id, i.collection, i.window_kind, i.window_start, i.window_end)
            = (w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end))
        when 'waiting' then w.dirty when 'parked' then w.dirty
        else false end,
      attempts = case when w.state in ('settled', 'dead') then 0 else w.attempts end,
      contradictions = case when w.state in ('settled', 'dead') then 0 else w.contradictions end,
      first_requested_at = case when w.state in ('settled', 'dead') then excluded.first_requested_at else w.first_requested_at end,
      due_at = case
        when w.state in ('settled', 'dead') then excluded.due_at
        when w.state = 'waiting' then greatest(w.due_at, least(
          (select s.now + s.debounce from settings s), w.first_requested_at + (select s.max_wait from settings s)))
        else w.due_at end,
      state = case when w.state in ('settled', 'dead') then excluded.state else w.state end
    returning w.lane, w.state = 'waiting' and w.due_at <= clock_timestamp() as due
  ), marked as (
    update webhook_notice n set status = case
      when ((n.tableoid, n.ctid) in (select part, place from judged where next_status = 'windowed')) is true then 'windowed'
      when ((n.tableoid, n.ctid) in (select part, place from judged where next_status = 'applied')) is true then 'applied'
      else 'dead' end
    where (n.tenant_id = $1 and n.environment = $2 and n.status = 'received') is true and n.ctid = any(array(select place from judged))
      and ((n.tableoid, n.ctid) in (select part, place from judged)) is true
    returning n.status
  )
  select (select count(*) from candidate)::integer as taken,
    (select count(*) from marked where status = 'applied')::integer as covered,
    (select array_agg(distinct lane) from filed where due) as due_lanes`;
