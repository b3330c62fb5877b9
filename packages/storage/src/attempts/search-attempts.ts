import type { Scope } from '@tributary/domain';
import type { AttemptRow } from '../reading/list-attempts-of-event.js';
import type { Sql } from '../sql.js';

/** Where a page ended: microseconds since the epoch, event, endpoint, n. */
export type AttemptPlace = [startedUs: number, eventId: string, endpointId: string, n: number];

export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
/** `none`: no whole answer came. */
export type StatusClass = (typeof statusClasses)[number];

export interface AttemptSearch {
  readonly endpointId: string | undefined;
  readonly eventId: string | undefined;
  readonly statusClass: StatusClass | undefined;
  readonly outcome: string | undefined;
  /** From `from` on and before `to`, by the start of the attempt. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly after: AttemptPlace | undefined;
  readonly limit: number;
}

export interface FoundAttemptRow extends AttemptRow {
  readonly eventId: string;
  readonly startedUs: number;
}

/** What is said twice lets the planner see that the index of the failed ones will do. */
const ofClass: Readonly<Record<StatusClass, string>> = {
  '2xx': `status_code >= 200 and status_code < 300`,
  '3xx': `status_code >= 300 and status_code < 400 and outcome <> 'delivered'`,
  '4xx': `status_code >= 400 and status_code < 500 and outcome <> 'delivered'`,
  '5xx': `status_code >= 500 and outcome <> 'delivered'`,
  none: `status_code is null and outcome <> 'delivered'`,
};

/**
 * Attempts of an environment, newest first. Only what was asked for stands in the text, so that each wish finds its index; the partitions
 * of days that are not asked for are not opened.
 */
export async function searchAttempts(sql: Sql, { tenantId, environment }: Scope, search: AttemptSearch): Promise<FoundAttemptRow[]> {
  const values: unknown[] = [tenantId, environment];
  const asked: string[] = [];
  const put = (value: unknown) => `$${values.push(value)}`;
  if (search.endpointId !== undefined) asked.push(`endpoint_id = ${put(search.endpointId)}`);
  if (search.eventId !== undefined) asked.push(`event_id = ${put(search.eventId)}`);
  if (search.outcome !== undefined) {
    asked.push(`outcome = ${put(search.outcome)}`);
    if (search.outcome !== 'delivered') asked.push(`outcome <> 'delivered'`);
  }
  if (search.statusClass !== undefined) asked.push(ofClass[search.statusClass]);
  if (search.from !== undefined) asked.push(`started_at >= ${put(search.from)}`);
  if (search.to !== undefined) asked.push(`started_at < ${put(search.to)}`);
  if (search.after !== undefined) {
    const [startedUs, eventId, endpointId, n] = search.after;
    // Exact: a time that went through a float could be a microsecond off, and a row be shown twice or never.
    asked.push(`(started_at, event_id, endpoint_id, n)
          < (timestamptz 'epoch' + ${put(startedUs)}::int8 * interval '1 microsecond', ${put(eventId)}, ${put(endpointId)}, ${put(n)}::int4)`);
  }
  const mark = [search.endpointId, search.eventId, search.outcome, search.from, search.to, search.after].map((wish) => (wish ? '+' : '-'));
  const { rows } = await sql.query<FoundAttemptRow & Record<string, unknown>>({
    name: `attempts/search${mark.join('')}${search.outcome === 'delivered' ? 'd' : ''}${search.statusClass ?? ''}`,
    text: `
      select event_id as "eventId", endpoint_id as "endpointId", n, started_at as "startedAt",
        (extract(epoch from started_at) * 1000000)::int8 as "startedUs", duration_ms as "durationMs", outcome, status_code as "statusCode",
        response_headers as "responseHeaders", response_body as "responseBody"
      from delivery_attempt
      where tenant_id = $1 and environment = $2
        ${asked.map((condition) => `and ${condition}`).join('\n        ')}
      order by started_at desc, event_id desc, endpoint_id desc, n desc
      limit ${put(search.limit)}::int4`,
    values,
  });
  return rows;
}
