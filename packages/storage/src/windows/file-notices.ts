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

const text = `
  with settings as materialized (
    select debounce_ms * interval '1 millisecond' as debounce, max_wait_ms * interval '1 millisecond' as max_wait, fetch_lanes,
      clock_timestamp() as now
    from environment where tenant_id = $1 and environment = $2
  ), candidate as materialized (
    select period, received_at, delivery_key, ordinal, connection_id
    from webhook_notice
    where tenant_id = $1 and environment = $2 and status = 'received'
    order by received_at
    limit $3
  ), alive as materialized (
    select id, status from connection
    where tenant_id = $1 and environment = $2 and id in (select connection_id from candidate)
    order by id
    for key share
  ), orphan as (
    delete from webhook_notice n using candidate k
    where n.tenant_id = $1 and n.environment = $2 and n.status = 'received' and n.period = k.period and n.received_at = k.received_at
      and n.delivery_key = k.delivery_key and n.ordinal = k.ordinal and n.connection_id = k.connection_id
      and k.connection_id not in (select id from alive)
    returning 1
  ), taken as materialized (
    select n.*, a.status as connection_status
    from candidate k
    join alive a on a.id = k.connection_id
    join webhook_notice n on n.tenant_id = $1 and n.environment = $2 and n.period = k.period and n.received_at = k.received_at
      and n.delivery_key = k.delivery_key and n.ordinal = k.ordinal and n.connection_id = k.connection_id
    where n.status = 'received'
    for update of n skip locked
  ), judged as materialized (
    select t.*,
      case
        when t.connection_status not in ('active', 'reauth_required') then 'dead'
        when t.version <= w.covered_version then 'applied'
        else 'windowed'
      end as next_status
    from taken t
    left join fetch_window w on w.tenant_id = $1 and w.environment = $2 and w.connection_id = t.connection_id
      and w.collection = t.collection and w.window_kind = t.window_kind and w.window_start = t.window_start and w.window_end = t.window_end
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
        when 'fetching' then w.dirty or w.requested_version is null or coalesce(excluded.requested_version > w.requested_version, true)
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
    update webhook_notice n set status = j.next_status
    from judged j
    where n.tenant_id = $1 and n.environment = $2 and n.status = 'received' and n.period = j.period and n.received_at = j.received_at
      and n.delivery_key = j.delivery_key and n.ordinal = j.ordinal and n.connection_id = j.connection_id
    returning j.next_status
  )
  select (select count(*) from candidate)::integer as taken,
    (select count(*) from marked where next_status = 'applied')::integer as covered,
    (select array_agg(distinct lane) from filed where due) as due_lanes`;
