import type { Scope } from '@tributary/domain';
import { type DeadLetterFilter, deadLetterMatches, deadLetterValues } from '../dead-letters/dead-letter-filter.js';
import type { Sql } from '../sql.js';

export interface DeadLetterRow {
  readonly id: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly userId: string | null;
  readonly connectionId: string | null;
  readonly collection: string | null;
  readonly windowKind: 'object' | 'days' | 'instants' | 'whole' | null;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  readonly bucket: 'transient' | 'drift' | 'unresolvable';
  readonly code: string;
  readonly detail: string;
  readonly openedAt: Date;
  readonly replays: number;
  readonly replayedAt: Date | null;
  readonly closedAt: Date | null;
  readonly closeReason: string | null;
}

export interface DeadLetterPage {
  readonly state: 'open' | 'closed' | 'all';
  /** Lowest id of the last page. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listDeadLetters(
  sql: Sql,
  { tenantId, environment }: Scope,
  filter: DeadLetterFilter,
  { state, before, limit }: DeadLetterPage,
): Promise<DeadLetterRow[]> {
  const { rows } = await sql.query<DeadLetterRow & Record<string, unknown>>({
    name: 'list-dead-letters',
    text: `
      select id, provider, provider_app_id as "providerAppId", user_id as "userId", connection_id as "connectionId", collection,
        window_kind as "windowKind", window_start as "windowStart", window_end as "windowEnd", bucket, code, detail,
        opened_at as "openedAt", replays, replayed_at as "replayedAt", closed_at as "closedAt", close_reason as "closeReason"
      from dead_letter l
      where ${deadLetterMatches} and ($11 = 'all' or (closed_at is null) = ($11 = 'open')) and ($12::text is null or id < $12)
      order by id desc
      limit $13`,
    values: [tenantId, environment, ...deadLetterValues(filter), state, before ?? null, limit],
  });
  return rows;
}
