import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { EventRow } from './find-event.js';

export interface EventFilter {
  readonly type: string | undefined;
  /** The lowest revision of the last page. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listEvents(sql: Sql, { tenantId, environment }: Scope, filter: EventFilter): Promise<EventRow[]> {
  const { rows } = await sql.query<EventRow & Record<string, unknown>>({
    name: 'list-events',
    text: `
      select id, type, revision, occurred_at as "occurredAt", data
      from event
      where tenant_id = $1 and environment = $2 and ($3::bigint is null or revision < $3) and ($4::text is null or type = $4)
      order by revision desc
      limit $5`,
    values: [tenantId, environment, filter.before ?? null, filter.type ?? null, filter.limit],
  });
  return rows;
}
