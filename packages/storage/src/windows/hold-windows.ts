import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type LeasedWindow, leasedWindowArrays, leasedWindowList, leasedWindowMatch, leasedWindowParameters } from './window-key.js';

/**
 * Inside the applying transaction: takes the connections (for key share, so that an erasure waits for us or we see that it came first)
 * and the windows (for update), and says whose reads may still be written: the connection stands, and the lease is ours.
 * @returns their places.
 */
export async function holdWindows(
  sql: Sql,
  { tenantId, environment }: Scope,
  windows: readonly LeasedWindow[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql.query<{ k: number }>({
    name: 'windows/hold-windows',
    text,
    values: [tenantId, environment, ...leasedWindowArrays(windows)],
  });
  return new Set(rows.map(({ k }) => k - 1));
}

const text = `
  with person as materialized (
    select id from connection
    where tenant_id = $1 and environment = $2 and id = any($3::text[]) and status in ('active', 'reauth_required')
    order by id
    for key share
  )
  select k.k::int4
  from unnest(${leasedWindowParameters(3)}) with ordinality as k (${leasedWindowList}, k)
  join fetch_window w on ${leasedWindowMatch('w', 'k')}
  where k.connection_id in (select id from person)
  order by w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end
  for update of w`;
