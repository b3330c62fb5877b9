import type { Sql } from '../sql.js';
import { pgArray } from '../pg-array.js';
import type { LeasedWindow } from './window-key.js';

/** Holds what is still being worked, so that a slow provider does not make two processes read the same window. */
export async function extendLeases(sql: Sql, windows: readonly LeasedWindow[], leaseMs: number): Promise<void> {
  const sorted = [...windows].sort((a, b) => (a.connectionId < b.connectionId ? -1 : a.connectionId > b.connectionId ? 1 : 0));
  await sql.query({
    name: 'windows/extend-leases',
    text: `
      update fetch_window w set due_at = clock_timestamp() + $1 * interval '1 millisecond'
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
        as k (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lease_token)
      where w.tenant_id = k.tenant_id and w.environment = k.environment and w.connection_id = k.connection_id
        and w.collection = k.collection and w.window_kind = k.window_kind and w.window_start = k.window_start
        and w.window_end = k.window_end and w.lease_token = k.lease_token::uuid and w.state = 'fetching'`,
    values: [
      leaseMs,
      ...(['tenantId', 'environment', 'connectionId', 'collection', 'windowKind', 'windowStart', 'windowEnd', 'leaseToken'] as const).map(
        (field) =>
          pgArray(
            'text',
            sorted.map((window) => window[field]),
          ),
      ),
    ],
  });
}
