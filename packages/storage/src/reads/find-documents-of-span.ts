import type { Scope } from '@tributary/domain';
import type { RecordOwner } from '../records/record-row.js';
import type { Sql } from '../sql.js';

export interface SpanOfCollection extends Scope, RecordOwner {
  readonly connectionId: string;
  readonly collection: string;
  /** RFC 3339 UTC, or civil days; `to` exclusive. */
  readonly from: string;
  readonly to: string;
}

/** Documents of which we hold a session or a measurement that touches this span of time; deleted ones left out. */
export async function findDocumentsOfSpan(sql: Sql, span: SpanOfCollection): Promise<string[]> {
  const { tenantId, environment, userId, provider, connectionId, collection, from, to } = span;
  const { rows } = await sql.query<{ id: string }>({
    name: 'reads/documents-of-span',
    text: `
      select r.provider_record_id as id from session_record r
      where r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4 and r.kind in ('sleep', 'workout')
        -- A session is at most a week long: the index by date finds those that can touch the span.
        and r.local_date between $7::timestamptz::date - 8 and $8::timestamptz::date + 8
        and r.connection_id = $5 and r.collection = $6 and not r.deleted
        and r.started_at < $8::timestamptz and r.ended_at >= $7::timestamptz
      union
      select r.provider_record_id from measurement_record r
      where r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
        and r.local_date between $7::timestamptz::date - 1 and $8::timestamptz::date + 1
        and r.connection_id = $5 and r.collection = $6 and not r.deleted
        and r.measured_at < $8::timestamptz and r.measured_at >= $7::timestamptz`,
    values: [tenantId, environment, userId, provider, connectionId, collection, from, to],
  });
  return rows.map(({ id }) => id);
}
