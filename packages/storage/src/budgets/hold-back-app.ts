import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** How windows wait for calls that ran out. */
export interface HeldBack {
  /** Windows of this priority and of less urgent ones. */
  readonly priority: number;
  /** Milliseconds from now until the first may come back. */
  readonly afterMs: number;
  /** Milliseconds from one to the next, so that they do not all find the same few calls. */
  readonly spacingMs: number;
  /** Windows of one statement; the rest meet the same pause when they are claimed. */
  readonly limit: number;
}

/**
 * The provider app has no calls left for a while: its waiting windows in this lane that would be due before that come back one after the
 * other, the most urgent first, without having been claimed. It costs them no attempt. Spread over a day at most.
 * @returns how many.
 */
export async function holdBackApp(
  sql: Sql,
  lane: Scope & { readonly lane: number },
  providerAppId: string,
  { priority, afterMs, spacingMs, limit }: HeldBack,
): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'budgets/hold-back-app',
    text,
    values: [lane.tenantId, lane.environment, lane.lane, providerAppId, priority, afterMs, spacingMs, limit],
  });
  return rowCount ?? 0;
}

/** Windows of the lane that are looked at: others than this app's may stand before its own by the hundred thousand. */
const MOST_SEEN = 10_000;

const text = `
  with near as materialized (
    select connection_id, collection, window_kind, window_start, window_end
    from fetch_window
    where tenant_id = $1 and environment = $2 and lane = $3 and state in ('waiting', 'fetching') and priority >= $5
      and due_at < clock_timestamp() + $6 * interval '1 millisecond'
    order by priority, due_at
    limit ${MOST_SEEN}
  ), held as materialized (
    select w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end, w.priority, w.due_at
    from near n
    join connection c on c.tenant_id = $1 and c.environment = $2 and c.id = n.connection_id and c.provider_app_id = $4
    join fetch_window w on w.tenant_id = $1 and w.environment = $2 and w.connection_id = n.connection_id and w.collection = n.collection
      and w.window_kind = n.window_kind and w.window_start = n.window_start and w.window_end = n.window_end
    where w.state = 'waiting'
    order by w.priority, w.due_at
    limit $8
    for no key update of w skip locked
  ), placed as (
    select h.*, row_number() over (order by h.priority, h.due_at) - 1 + random() * 0.5 as place,
      (select fetch_lanes from environment where tenant_id = $1 and environment = $2) as lanes
    from held h
  )
  update fetch_window w set last_error = 'rate_limited',
    due_at = clock_timestamp() + ($6 + least(p.place * p.lanes * $7, 86400000)) * interval '1 millisecond'
  from placed p
  where w.tenant_id = $1 and w.environment = $2 and w.connection_id = p.connection_id and w.collection = p.collection
    and w.window_kind = p.window_kind and w.window_start = p.window_start and w.window_end = p.window_end`;
