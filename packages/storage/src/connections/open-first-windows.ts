import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Windows that a consent owes: the last `sweep_days` days, today and tomorrow (somewhere it is tomorrow already), for each
 * collection. @returns the lanes that now have work.
 */
export async function openFirstWindows(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  collections: readonly string[],
): Promise<number[]> {
  const { rows } = await sql.query<{ lane: number }>({
    name: 'open-first-windows',
    text: `
      insert into fetch_window as w
        (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane, priority, due_at)
      select e.tenant_id, e.environment, $3, c.name, 'days',
        to_char((now() at time zone 'UTC')::date - e.sweep_days::int, 'YYYY-MM-DD'),
        to_char((now() at time zone 'UTC')::date + 2, 'YYYY-MM-DD'),
        abs(hashtext($3)::bigint) % e.fetch_lanes, 1, now()
      from environment e, unnest($4::text[]) as c (name)
      where e.tenant_id = $1 and e.environment = $2
      order by c.name
      on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
        dirty = w.state = 'fetching',
        state = case when w.state = 'fetching' then 'fetching' else 'waiting' end,
        due_at = case when w.state = 'fetching' then w.due_at else now() end,
        first_requested_at = now(), attempts = 0, contradictions = 0, settled_at = null
      returning lane`,
    values: [tenantId, environment, connectionId, pgArray('text', collections)],
  });
  return [...new Set(rows.map((row) => row.lane))];
}
