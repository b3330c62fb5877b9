import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface DeadLetterRow {
  readonly id: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly userId: string | null;
  readonly connectionId: string | null;
  readonly collection: string | null;
  readonly windowKind: 'object' | 'days' | 'instants' | null;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  readonly bucket: 'transient' | 'drift' | 'unresolvable';
  readonly code: string;
  readonly detail: string;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  readonly closeReason: string | null;
}

export interface DeadLetterFilter {
  readonly state: 'open' | 'closed' | 'all';
  readonly bucket: string | undefined;
  readonly userId: string | undefined;
  /** Lowest id of the last page. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listDeadLetters(sql: Sql, { tenantId, environment }: Scope, filter: DeadLetterFilter): Promise<DeadLetterRow[]> {
  const { rows } = await sql.query<DeadLetterRow & Record<string, unknown>>({
    name: 'list-dead-letters',
    text: `
      select id, provider, provider_app_id as "providerAppId", user_id as "userId", connection_id as "connectionId", collection,
        window_kind as "windowKind", window_start as "windowStart", window_end as "windowEnd", bucket, code, detail,
        opened_at as "openedAt", closed_at as "closedAt", close_reason as "closeReason"
      from dead_letter
      where tenant_id = $1 and environment = $2
        and ($3 = 'all' or (closed_at is null) = ($3 = 'open'))
        and ($4::text is null or bucket = $4)
        and ($5::text is null or user_id = $5)
        and ($6::text is null or id < $6)
      order by id desc
      limit $7`,
    values: [tenantId, environment, filter.state, filter.bucket ?? null, filter.userId ?? null, filter.before ?? null, filter.limit],
  });
  return rows;
}
