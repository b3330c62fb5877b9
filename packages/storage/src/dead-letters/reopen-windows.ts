/** Milliseconds by which two windows that are reopened together are apart on average; together never more than an hour. */
const APART_MS = 100;
const LONGEST_MS = 3_600_000;

/**
 * Common table expressions that open the windows of `chosen` dead letters again: each is read anew, as nothing live and spread, and its letter
 * stays open until that succeeds. Connections are held (for key share); letters whose connection has ended are left as they are. A window
 * that waits or is being read goes on, and is read once more in the latter case.
 * @param chosen a query of `dead_letter l` that gives `l.*` and the `newer_version` of the adapter that is to be noted
 */
export function reopenWindows(chosen: string): string {
  return `
  with chosen as materialized (${chosen}
  ), person as materialized (
    select c.tenant_id, c.environment, c.id, c.status, e.fetch_lanes
    from connection c
    join environment e on e.tenant_id = c.tenant_id and e.environment = c.environment
    where (c.tenant_id, c.environment, c.id) in (select tenant_id, environment, connection_id from chosen)
      and c.status in ('active', 'reauth_required')
    order by c.tenant_id, c.environment, c.id
    for key share of c
  ), wanted as materialized (
    select l.*, p.status, p.fetch_lanes
    from chosen l join person p on p.tenant_id = l.tenant_id and p.environment = l.environment and p.id = l.connection_id
  ), opened as (
    insert into fetch_window as w (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane,
      priority, state, first_requested_at, due_at)
    select l.tenant_id, l.environment, l.connection_id, l.collection, l.window_kind, l.window_start, l.window_end,
      abs(hashtext(l.connection_id)::bigint) % l.fetch_lanes, 1, case l.status when 'active' then 'waiting' else 'parked' end,
      clock_timestamp(),
      clock_timestamp() + random() * least(((select count(*) from wanted) - 1) * ${APART_MS}, ${LONGEST_MS}) * interval '1 millisecond'
    from wanted l
    order by l.tenant_id, l.environment, l.connection_id, l.collection, l.window_kind, l.window_start, l.window_end
    on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
      dirty = w.state = 'fetching' or (w.dirty and w.state not in ('settled', 'dead')),
      priority = case when w.state in ('settled', 'dead') then 1 else w.priority end,
      attempts = case when w.state in ('settled', 'dead') then 0 else w.attempts end,
      contradictions = case when w.state in ('settled', 'dead') then 0 else w.contradictions end,
      first_requested_at = case when w.state in ('settled', 'dead') then excluded.first_requested_at else w.first_requested_at end,
      due_at = case when w.state in ('settled', 'dead') then excluded.due_at else w.due_at end,
      state = case when w.state in ('settled', 'dead') then excluded.state else w.state end
    returning w.lane, w.state = 'waiting' and w.due_at <= clock_timestamp() as due
  ), notices as (
    update webhook_notice n set status = 'windowed'
    from wanted l
    where n.tenant_id = l.tenant_id and n.environment = l.environment and n.connection_id = l.connection_id
      and n.collection = l.collection and n.window_kind = l.window_kind and n.window_start = l.window_start
      and n.window_end = l.window_end and n.status = 'dead'
  ), marked as (
    -- Windows before letters, as whoever settles a window locks them.
    update dead_letter l set replays = l.replays + 1, replayed_at = clock_timestamp(), normalizer_version = k.newer_version
    from wanted k
    where l.tenant_id = k.tenant_id and l.environment = k.environment and l.id = k.id and l.closed_at is null
      and (select count(*) from opened) >= 0
    returning l.id
  )`;
}
