import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { HeldBack } from './hold-back-app.js';

/** What holdBackApp does for an app, for one person whose calls ran out. @returns how many. */
export async function holdBackConnection(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  { priority, afterMs, spacingMs, limit }: HeldBack,
): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'budgets/hold-back-connection',
    text,
    values: [tenantId, environment, connectionId, priority, afterMs, spacingMs, limit],
  });
  return rowCount ?? 0;
}

const text = `
  with held as materialized (
    select w.collection, w.window_kind, w.window_start, w.window_end, w.priority, w.due_at
    from fetch_window w
    where w.tenant_id = $1 and w.environment = $2 and w.connection_id = $3 and w.state = 'waiting' and w.priority >= $4
      and w.due_at < clock_timestamp() + $5 * interval '1 millisecond'
    order by w.priority, w.due_at
    limit $7
    for no key update skip locked
  ), placed as (
    select h.*, row_number() over (order by h.priority, h.due_at) - 1 + random() * 0.5 as place from held h
  )
  update fetch_window w set last_error = 'rate_limited',
    due_at = clock_timestamp() + ($5 + least(p.place * $6, 86400000)) * interval '1 millisecond'
  from placed p
  where w.tenant_id = $1 and w.environment = $2 and w.connection_id = $3 and w.collection = p.collection
    and w.window_kind = p.window_kind and w.window_start = p.window_start and w.window_end = p.window_end`;
