import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * A look at the grant of each active connection of this user, due at once: whoever takes it does first what the connection owes its rows.
 * @returns the lanes that now have work.
 */
export async function openStandingWindows(
  sql: Sql,
  { tenantId, environment }: Scope,
  userId: string,
  collection: string,
): Promise<number[]> {
  const { rows } = await sql.query<{ lane: number }>({
    name: 'whereabouts/open-standing-windows',
    text: `
      insert into fetch_window as w
        (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane, priority, due_at)
      select c.tenant_id, c.environment, c.id, $4, 'whole', '', '', abs(hashtext(c.id)::bigint) % e.fetch_lanes, 1, now()
      from connection c
      join environment e on e.tenant_id = c.tenant_id and e.environment = c.environment
      where c.tenant_id = $1 and c.environment = $2 and c.user_id = $3 and c.status = 'active'
      order by c.id
      on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
        dirty = w.state = 'fetching',
        state = case when w.state = 'fetching' then 'fetching' else 'waiting' end,
        due_at = case when w.state = 'fetching' then w.due_at else now() end,
        first_requested_at = now(), attempts = 0, contradictions = 0
      returning lane`,
    values: [tenantId, environment, userId, collection],
  });
  return [...new Set(rows.map((row) => row.lane))];
}
