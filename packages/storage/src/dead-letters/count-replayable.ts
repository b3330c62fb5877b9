import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type DeadLetterFilter, deadLetterMatches, deadLetterValues } from './dead-letter-filter.js';

export interface ReplayableCount {
  /** Open ones that the filter names; each of them is in one of the others. */
  readonly matched: number;
  readonly replayable: number;
  readonly unresolvable: number;
  /** Deliveries that could not be read at all: there is nothing to read again. */
  readonly withoutWindow: number;
  /** Their connection has ended. */
  readonly connectionEnded: number;
}

/** What a replay of the same filter would do. */
export async function countReplayable(sql: Sql, { tenantId, environment }: Scope, filter: DeadLetterFilter): Promise<ReplayableCount> {
  const { rows } = await sql.query<ReplayableCount & Record<string, unknown>>({
    name: 'dead-letters/count-replayable',
    text: `
      select count(*)::integer as matched,
        count(*) filter (where kind = 'replayable')::integer as replayable,
        count(*) filter (where kind = 'unresolvable')::integer as unresolvable,
        count(*) filter (where kind = 'without_window')::integer as "withoutWindow",
        count(*) filter (where kind = 'ended')::integer as "connectionEnded"
      from (
        select case
          when l.bucket = 'unresolvable' then 'unresolvable'
          when l.connection_id is null or l.collection is null then 'without_window'
          when c.status in ('active', 'reauth_required') then 'replayable'
          else 'ended' end as kind
        from dead_letter l
        left join connection c on c.tenant_id = l.tenant_id and c.environment = l.environment and c.id = l.connection_id
        where ${deadLetterMatches} and l.closed_at is null
      ) judged`,
    values: [tenantId, environment, ...deadLetterValues(filter)],
  });
  return rows[0] as ReplayableCount;
}
