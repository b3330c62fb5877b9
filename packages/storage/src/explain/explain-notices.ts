import type { Sql } from '../sql.js';
import { type ExplainedPlace, isAboutRecord, placeValues } from './about-record.js';

/** What a provider said about the record, and in which delivery; the body itself is not shown, only its hash. */
export interface ExplainedNotice {
  readonly kind: string;
  readonly status: string;
  readonly windowKind: string;
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly version: number | null;
  readonly noticedAt: Date;
  readonly receivedAt: Date;
  readonly signedAt: Date | null;
  readonly grade: string;
  readonly bodyHash: Buffer;
  readonly bodyKept: boolean;
}

/** Newest first, as far back as deliveries are kept. */
export async function explainNotices(sql: Sql, place: ExplainedPlace, limit: number): Promise<ExplainedNotice[]> {
  const { rows } = await sql.query<ExplainedNotice & Record<string, unknown>>({
    name: 'explain/notices',
    text: `
      select n.kind, n.status, n.window_kind as "windowKind", n.window_start as "windowStart", n.window_end as "windowEnd", n.version,
        n.received_at as "noticedAt", d.received_at as "receivedAt", d.signed_at as "signedAt", d.grade, d.body_hash as "bodyHash",
        d.raw_body is not null as "bodyKept"
      from (
        select * from webhook_notice n where ${isAboutRecord('n')} and n.status <> 'received'
        union all
        select * from webhook_notice n where ${isAboutRecord('n')} and n.status = 'received'
      ) n
      join webhook_delivery d on d.delivery_key = n.delivery_key and d.tenant_id = n.tenant_id and d.environment = n.environment
        and d.period = n.period
      order by n.received_at desc
      limit $7`,
    values: [...placeValues(place), limit],
  });
  return rows;
}
