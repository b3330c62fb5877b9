import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type WindowKey, windowArrays, windowList } from './window-key.js';

export interface SettlingWindow {
  readonly window: WindowKey;
  /** It must not be read earlier: epoch milliseconds. */
  readonly notBefore: number;
}

/**
 * Windows whose values are in doubt are read (once more), each no earlier than it helps. One that waits already is read by then at the
 * latest; one that is being read runs again; one that waits for consent does so still. Each key is given once.
 */
export async function planSettling(sql: Sql, { tenantId, environment }: Scope, wishes: readonly SettlingWindow[]): Promise<void> {
  if (wishes.length === 0) return;
  const name = ({ window }: SettlingWindow) =>
    [window.connectionId, window.collection, window.windowKind, window.windowStart, window.windowEnd].join('\0');
  const sorted = [...wishes].sort((a, b) => (name(a) < name(b) ? -1 : 1));
  await sql.query({
    name: 'windows/plan-settling',
    text: `
      insert into fetch_window as w (tenant_id, environment, ${windowList}, lane, settles, first_requested_at, due_at)
      select $1, $2, ${windowList}, abs(hashtext(k.connection_id)::bigint) % e.fetch_lanes, true, clock_timestamp(),
        timestamptz 'epoch' + k.not_before * interval '1 millisecond'
      from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[]) as k (${windowList}, not_before)
      join environment e on e.tenant_id = $1 and e.environment = $2
      on conflict (tenant_id, environment, ${windowList}) do update set
        dirty = w.dirty or w.state = 'fetching',
        due_at = case w.state when 'waiting' then least(w.due_at, excluded.due_at) when 'fetching' then w.due_at else excluded.due_at end,
        first_requested_at = case when w.state in ('settled', 'dead') then excluded.first_requested_at else w.first_requested_at end,
        attempts = case when w.state in ('settled', 'dead') then 0 else w.attempts end,
        contradictions = case when w.state in ('settled', 'dead') then 0 else w.contradictions end,
        state = case when w.state in ('settled', 'dead') then 'waiting' else w.state end
      where w.state <> 'parked'`,
    values: [
      tenantId,
      environment,
      ...windowArrays(sorted.map(({ window }) => window)),
      pgArray(
        'int8',
        sorted.map(({ notBefore }) => notBefore),
      ),
    ],
  });
}
