import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { OwedDays } from './open-first-windows.js';

/**
 * One window for each of the collections, as urgent as a webhook, after the pause that webhooks wait too: what is asked for many times is
 * read once. @returns the lanes that now have work.
 */
export async function openRecentWindows(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  recent: readonly Pick<OwedDays, 'collection' | 'from' | 'to'>[],
): Promise<number[]> {
  const { rows } = await sql.query<{ lane: number }>({
    name: 'connections/open-recent-windows',
    text: `
      insert into fetch_window as w
        (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane, priority, due_at)
      select e.tenant_id, e.environment, $3, o.collection, 'days', o.from_day, o.to_day,
        abs(hashtext($3)::bigint) % e.fetch_lanes, 0, clock_timestamp() + e.debounce_ms * interval '1 millisecond'
      from environment e
      cross join unnest($4::text[], $5::text[], $6::text[]) as o (collection, from_day, to_day)
      where e.tenant_id = $1 and e.environment = $2
      order by o.collection
      on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
        dirty = w.state = 'fetching',
        state = case when w.state = 'fetching' then 'fetching' else 'waiting' end,
        due_at = case when w.state = 'fetching' then w.due_at when w.state = 'waiting' then least(w.due_at, excluded.due_at) else excluded.due_at end,
        priority = 0, first_requested_at = now(), attempts = 0, contradictions = 0, settled_at = null
      returning lane`,
    values: [
      tenantId,
      environment,
      connectionId,
      pgArray(
        'text',
        recent.map(({ collection }) => collection),
      ),
      pgArray(
        'text',
        recent.map(({ from }) => from),
      ),
      pgArray(
        'text',
        recent.map(({ to }) => to),
      ),
    ],
  });
  return [...new Set(rows.map((row) => row.lane))];
}
