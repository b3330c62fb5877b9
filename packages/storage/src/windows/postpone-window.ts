import type { Sql } from '../sql.js';
import { type LeasedWindow, windowKeyIs, windowKeyValues } from './window-key.js';

export interface Postponement {
  /** How long from now, in milliseconds: a span, so that only the database's clock counts. */
  readonly afterMs: number;
  readonly attempts: number;
  readonly contradictions: number;
  readonly why: string;
}

/** The window waits for another try. Notices that came meanwhile are part of that try. */
export async function postponeWindow(
  sql: Sql,
  window: LeasedWindow,
  { afterMs, attempts, contradictions, why }: Postponement,
): Promise<void> {
  await sql.query({
    name: 'windows/postpone-window',
    text: `
      update fetch_window w set state = 'waiting', dirty = false, lease_token = null, attempts = $10, contradictions = $11, last_error = $12,
        due_at = clock_timestamp() + $9 * interval '1 millisecond'
      where ${windowKeyIs('w')} and w.lease_token = $8`,
    values: [...windowKeyValues(window), window.leaseToken, afterMs, attempts, contradictions, why],
  });
}
