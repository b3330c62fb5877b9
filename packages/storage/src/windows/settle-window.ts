import type { Version } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type LeasedWindow, windowKeyIs, windowKeyValues } from './window-key.js';

export interface Settlement {
  /** What its notices had asked for when it was claimed. */
  readonly coveredVersion: Version | undefined;
  /** Start of the read, microseconds since the epoch. */
  readonly readVersion: Version;
}

/**
 * The window was read and what it showed is written: its notices are applied, an open dead letter is closed. A window that became
 * dirty meanwhile waits again, and so do its notices; one that only a sweep asked for goes.
 * @returns false when the lease is not ours any more: then nothing is changed.
 */
export async function settleWindow(sql: Sql, window: LeasedWindow, { coveredVersion, readVersion }: Settlement): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'windows/settle-window',
    text,
    values: [...windowKeyValues(window), window.leaseToken, coveredVersion ?? null, readVersion],
  });
  return rows.length > 0;
}

const text = `
  with mine as materialized (
    select w.tenant_id, w.environment, w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end,
      w.dirty, w.priority = 2 and not w.dirty as ends
    from fetch_window w
    where ${windowKeyIs('w')} and w.lease_token = $8
    for update
  ), ended as (
    delete from fetch_window w using mine m where ${windowKeyIs('w')} and m.ends
  ), kept as (
    update fetch_window w set
      state = case when m.dirty then 'waiting' else 'settled' end,
      first_requested_at = case when m.dirty then clock_timestamp() else w.first_requested_at end,
      due_at = case when m.dirty
        then clock_timestamp() + (select least(debounce_ms, max_wait_ms) from environment where tenant_id = $1 and environment = $2) * interval '1 millisecond'
        else w.due_at end,
      dirty = false, attempts = 0, contradictions = 0, lease_token = null, last_error = null, settled_at = clock_timestamp(),
      covered_version = greatest(w.covered_version, $9::bigint),
      read_version = greatest(w.read_version, $10::bigint)
    from mine m
    where ${windowKeyIs('w')} and not m.ends
  ), applied as (
    update webhook_notice n set status = 'applied'
    from mine m
    where not m.dirty and n.tenant_id = $1 and n.environment = $2 and n.connection_id = $3 and n.collection = $4
      and n.window_kind = $5 and n.window_start = $6 and n.window_end = $7 and n.status = 'windowed'
  ), closed as (
    update dead_letter l set closed_at = clock_timestamp(), close_reason = 'refreshed'
    from mine m
    where l.tenant_id = $1 and l.environment = $2 and l.connection_id = $3 and l.collection = $4
      and l.window_kind = $5 and l.window_start = $6 and l.window_end = $7 and l.closed_at is null
  )
  select 1 from mine`;
