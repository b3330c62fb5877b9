import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface Look extends Scope {
  readonly connectionId: string;
  readonly collection: string;
  /** Civil days, `to` exclusive. */
  readonly from: string;
  readonly to: string;
  /** Epoch milliseconds, not before. */
  readonly dueAt: number;
}

/**
 * Asks for one more read of these days, as a sweep would. One that is asked for already keeps its time if that is sooner; one that is being
 * read runs again, if this one is due by then: what it is to see may have come to pass since it began.
 */
export async function openLook(sql: Sql, look: Look): Promise<void> {
  await sql.query({
    name: 'reads/open-look',
    text: `
      insert into fetch_window as w
        (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane, priority, due_at)
      select e.tenant_id, e.environment, c.id, $4, 'days', $5, $6, abs(hashtext(c.id)::bigint) % e.fetch_lanes, 2, to_timestamp($7::float8 / 1000)
      from environment e
      join connection c on c.tenant_id = e.tenant_id and c.environment = e.environment and c.id = $3 and c.status = 'active'
      where e.tenant_id = $1 and e.environment = $2
      for key share of c
      on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
        state = case when w.state in ('settled', 'dead') then 'waiting' else w.state end,
        priority = case when w.state in ('settled', 'dead') then 2 else w.priority end,
        attempts = case when w.state in ('settled', 'dead') then 0 else w.attempts end,
        contradictions = case when w.state in ('settled', 'dead') then 0 else w.contradictions end,
        first_requested_at = case when w.state in ('settled', 'dead') then clock_timestamp() else w.first_requested_at end,
        dirty = w.dirty or (w.state = 'fetching' and excluded.due_at <= clock_timestamp()),
        due_at = case w.state when 'waiting' then least(w.due_at, excluded.due_at) when 'fetching' then w.due_at else excluded.due_at end
      where w.state in ('settled', 'dead', 'waiting', 'fetching')`,
    values: [look.tenantId, look.environment, look.connectionId, look.collection, look.from, look.to, look.dueAt],
  });
}
