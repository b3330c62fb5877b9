import type { Scope, WindowColumns } from '@tributary/domain';
import { pgArray } from '../pg-array.js';

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

const windowFields = ['connectionId', 'collection', 'windowKind', 'windowStart', 'windowEnd'] as const;

/** What {@link windowArrays} sends, as the columns of a `from` item. */
export const windowList = 'connection_id, collection, window_kind, window_start, window_end';

/** Many windows of one environment as binary arrays, one for each column of {@link windowList}. */
export function windowArrays(windows: readonly WindowKey[]): Buffer[] {
  return windowFields.map((field) =>
    pgArray(
      'text',
      windows.map((window) => window[field]),
    ),
  );
}

/** As {@link windowList}, and the lease token. */
export const leasedWindowList = `${windowList}, lease_token`;

export function leasedWindowArrays(windows: readonly LeasedWindow[]): Buffer[] {
  return [
    ...windowArrays(windows),
    pgArray(
      'text',
      windows.map((window) => window.leaseToken),
    ),
  ];
}

/** `$3::text[], …`, one for each column of {@link leasedWindowList}. */
export function leasedWindowParameters(from: number): string {
  return Array.from({ length: windowFields.length + 1 }, (_, index) => `$${from + index}::text[]`).join(', ');
}

/** The condition that `row` is the window that `given` names; environment in $1 and $2. */
export function windowMatch(row: string, given: string): string {
  const keys = windowList.split(', ').map((column) => `${row}.${column} = ${given}.${column}`);
  return [`${row}.tenant_id = $1 and ${row}.environment = $2`, ...keys].join(' and ');
}

/** … and that it is still leased to whom `given` says. */
export function leasedWindowMatch(row: string, given: string): string {
  return `${windowMatch(row, given)} and ${row}.lease_token = ${given}.lease_token::uuid`;
}
