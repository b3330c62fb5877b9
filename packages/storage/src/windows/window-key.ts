import type { Scope, WindowColumns } from '@tributary/domain';

/** Names one row of `fetch_window`. */
export interface WindowKey extends Scope, WindowColumns {
  readonly connectionId: string;
  readonly collection: string;
}

/** A window as whoever claimed it may name it: results count only while the lease token is still the row's. */
export interface LeasedWindow extends WindowKey {
  readonly leaseToken: string;
}

/** Parameters $1 to $7 of every statement about one window. */
export function windowKeyValues(key: WindowKey): unknown[] {
  return [key.tenantId, key.environment, key.connectionId, key.collection, key.windowKind, key.windowStart, key.windowEnd];
}

/** The condition on `alias` that goes with {@link windowKeyValues}. */
export function windowKeyIs(alias: string): string {
  return ['tenant_id', 'environment', 'connection_id', 'collection', 'window_kind', 'window_start', 'window_end']
    .map((column, index) => `${alias}.${column} = $${index + 1}`)
    .join(' and ');
}
