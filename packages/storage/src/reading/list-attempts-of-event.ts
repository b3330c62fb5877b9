import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface AttemptRow {
  readonly endpointId: string;
  readonly n: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: string;
  readonly statusCode: number | null;
  readonly responseHeaders: Record<string, string> | null;
  readonly responseBody: Buffer | null;
}

export interface AttemptFilter {
  readonly eventId: string;
  /** Where the last page ended: endpoint, n. */
  readonly after: readonly [string, number] | undefined;
  readonly limit: number;
}

export async function listAttemptsOfEvent(sql: Sql, { tenantId, environment }: Scope, filter: AttemptFilter): Promise<AttemptRow[]> {
  const { rows } = await sql.query<AttemptRow & Record<string, unknown>>({
    name: 'list-attempts-of-event',
    text: `
      select endpoint_id as "endpointId", n, started_at as "startedAt", duration_ms as "durationMs", outcome, status_code as "statusCode",
        response_headers as "responseHeaders", response_body as "responseBody"
      from delivery_attempt
      where tenant_id = $1 and environment = $2 and event_id = $3 and ($4::text is null or (endpoint_id, n) > ($4, $5::int))
      order by endpoint_id, n
      limit $6`,
    values: [tenantId, environment, filter.eventId, ...(filter.after ?? [null, null]), filter.limit],
  });
  return rows;
}
