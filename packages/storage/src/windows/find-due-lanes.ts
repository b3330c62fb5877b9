import type { EnvironmentName, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Lanes with a window that is due now. Hops over the index from lane to lane and looks at the earliest of each priority, so it costs
 * by the number of lanes with open windows and not by the number of windows.
 */
export async function findDueLanes(sql: Sql): Promise<(Scope & { readonly lane: number })[]> {
  const { rows } = await sql.query<{ tenant_id: string; environment: EnvironmentName; lane: number }>({
    name: 'windows/find-due-lanes',
    text: `
      with recursive open as (
        (select tenant_id, environment, lane from fetch_window where state in ('waiting', 'fetching')
          order by tenant_id, environment, lane limit 1)
        union all
        select next.* from open o cross join lateral (
          select w.tenant_id, w.environment, w.lane from fetch_window w
          where w.state in ('waiting', 'fetching') and (w.tenant_id, w.environment, w.lane) > (o.tenant_id, o.environment, o.lane)
          order by w.tenant_id, w.environment, w.lane limit 1) next
      )
      select o.tenant_id, o.environment, o.lane from open o
      where exists (
        select 1 from generate_series(0, 2) p (priority) cross join lateral (
          select w.due_at from fetch_window w
          where w.tenant_id = o.tenant_id and w.environment = o.environment and w.lane = o.lane and w.priority = p.priority
            and w.state in ('waiting', 'fetching')
          order by w.due_at limit 1) first
        where first.due_at <= clock_timestamp())`,
    values: [],
  });
  return rows.map((row) => ({ tenantId: row.tenant_id, environment: row.environment, lane: row.lane }));
}
