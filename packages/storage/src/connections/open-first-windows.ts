import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Days of a collection that are to be read now. */
export interface OwedDays {
  readonly collection: string;
  /** Civil day, inclusive. */
  readonly from: string;
  /** Civil day, exclusive. */
  readonly to: string;
  /** Most days of one window. */
  readonly spanDays: number;
}

/** Windows that a consent owes, cut from the newest day backwards. @returns the lanes that now have work. */
export async function openFirstWindows(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  owed: readonly OwedDays[],
): Promise<number[]> {
  const column = <K extends keyof OwedDays>(key: K) => owed.map((days) => days[key]);
  const { rows } = await sql.query<{ lane: number }>({
    name: 'open-first-windows',
    text: `
      insert into fetch_window as w
        (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane, priority, due_at)
      select e.tenant_id, e.environment, $3, o.collection, 'days',
        to_char(greatest(o.from_date::date, o.to_date::date - (n.nth + 1) * o.span_days), 'YYYY-MM-DD'),
        to_char(o.to_date::date - n.nth * o.span_days, 'YYYY-MM-DD'),
        abs(hashtext($3)::bigint) % e.fetch_lanes, 1, now()
      from environment e
      cross join unnest($4::text[], $5::text[], $6::text[], $7::int4[]) as o (collection, from_date, to_date, span_days)
      cross join lateral generate_series(0, (o.to_date::date - o.from_date::date - 1) / o.span_days) as n (nth)
      where e.tenant_id = $1 and e.environment = $2
      order by o.collection, n.nth
      on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
        dirty = w.state = 'fetching',
        state = case when w.state = 'fetching' then 'fetching' else 'waiting' end,
        due_at = case when w.state = 'fetching' then w.due_at else now() end,
        first_requested_at = now(), attempts = 0, contradictions = 0, settled_at = null
      returning lane`,
    values: [
      tenantId,
      environment,
      connectionId,
      pgArray('text', column('collection')),
      pgArray('text', column('from')),
      pgArray('text', column('to')),
      pgArray('int4', column('spanDays')),
    ],
  });
  return [...new Set(rows.map((row) => row.lane))];
}
