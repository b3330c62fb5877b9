import type { Scope, Version } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import {
  type LeasedWindow,
  leasedWindowArrays,
  leasedWindowList,
  leasedWindowMatch,
  leasedWindowParameters,
  windowMatch,
} from './window-key.js';

export interface Settlement {
  readonly window: LeasedWindow;
  /** What its notices had asked for when it was claimed. */
  readonly coveredVersion: Version | undefined;
  /** Start of the read, microseconds since the epoch. */
  readonly readVersion: Version;
  /** It is to be read once more, not before: epoch milliseconds. */
  readonly againAt: number | undefined;
}

/**
 * Windows of one environment were read and what they showed is written: their notices are applied, open dead letters are closed. A window
 * that became dirty meanwhile waits again, and so do its notices; one that only a sweep or a doubt asked for goes, unless it is to be read
 * once more.
 * @returns how many; a window whose lease is not ours any more is left as it is.
 */
export async function settleWindows(sql: Sql, { tenantId, environment }: Scope, settlements: readonly Settlement[]): Promise<number> {
  const { rows } = await sql.query<{ settled: number }>({
    name: 'windows/settle-windows',
    text,
    values: [
      tenantId,
      environment,
      ...leasedWindowArrays(settlements.map(({ window }) => window)),
      ...(['coveredVersion', 'readVersion', 'againAt'] as const).map((field) =>
        pgArray(
          'int8',
          settlements.map((settlement) => settlement[field]),
        ),
      ),
    ],
  });
  return rows[0]?.settled ?? 0;
}

const text = `
  with mine as materialized (
    select w.tenant_id, w.environment, w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end, w.dirty,
      k.covered, k.read, timestamptz 'epoch' + k.again * interval '1 millisecond' as again,
      (w.priority = 2 or w.settles and w.notices = 0) and not w.dirty and k.again is null as ends
    from unnest(${leasedWindowParameters(3)}, $9::int8[], $10::int8[], $11::int8[]) as k (${leasedWindowList}, covered, read, again)
    join fetch_window w on ${leasedWindowMatch('w', 'k')}
    order by w.connection_id, w.collection, w.window_kind, w.window_start, w.window_end
    for update of w
  ), ended as (
    delete from fetch_window w using mine m where ${windowMatch('w', 'm')} and m.ends
  ), kept as (
    update fetch_window w set
      state = case when m.dirty or m.again is not null then 'waiting' else 'settled' end,
      first_requested_at = case when m.dirty or m.again is not null then clock_timestamp() else w.first_requested_at end,
      due_at = case when m.dirty
        then clock_timestamp() + (select least(debounce_ms, max_wait_ms) from environment where tenant_id = $1 and environment = $2) * interval '1 millisecond'
        else coalesce(m.again, w.due_at) end,
      dirty = false, attempts = 0, contradictions = 0, lease_token = null, last_error = null, settled_at = clock_timestamp(),
      covered_version = greatest(w.covered_version, m.covered),
      read_version = greatest(w.read_version, m.read)
    from mine m
    where ${windowMatch('w', 'm')} and not m.ends
  ), applied as (
    update webhook_notice n set status = 'applied'
    from mine m
    where not m.dirty and ${windowMatch('n', 'm')} and n.status = 'windowed'
  ), closed as (
    update dead_letter l set closed_at = clock_timestamp(), close_reason = 'refreshed'
    from mine m
    where ${windowMatch('l', 'm')} and l.closed_at is null
  )
  select count(*)::int4 as settled from mine`;
