import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordKey } from '../records/record-row.js';
import type { Sql } from '../sql.js';

/** One daily value that a document shows. */
export interface DailyOfDocument {
  readonly metric: string;
  readonly sourceId: string;
  readonly localDate: string;
  readonly providerRecordId: string;
}

/** A live row of the same document, metric and source, of another day. */
export interface MovedDaily {
  readonly from: RecordKey;
  /** Place of the value that it became. */
  readonly at: number;
  /** Since when it stands like this at the latest, epoch milliseconds. */
  readonly freshTo: number;
}

/** Which rows that we hold are the same values of the same documents under another day. */
export async function findMovedDaily(
  sql: Sql,
  { tenantId, environment, connectionId }: Scope & { readonly connectionId: string },
  values: readonly DailyOfDocument[],
): Promise<MovedDaily[]> {
  if (values.length === 0) return [];
  const text = (name: keyof DailyOfDocument) =>
    pgArray(
      'text',
      values.map((value) => value[name]),
    );
  const { rows } = await sql.query<{ metric: string; sourceId: string; localDate: string; at: number; freshTo: number }>({
    name: 'reads/moved-daily',
    text: `
      select r.metric, r.source_id as "sourceId", r.local_date as "localDate", k.at::int - 1 as at, r.fresh_to as "freshTo"
      from unnest($4::text[], $5::text[], $6::text[], $7::text[]) with ordinality as k (metric, source_id, day, document, at)
      join daily_rollup r on r.tenant_id = $1 and r.environment = $2 and r.connection_id = $3 and r.provider_record_id = k.document
        and r.metric = k.metric and r.source_id = k.source_id and r.local_date <> k.day::date and not r.deleted`,
    values: [tenantId, environment, connectionId, text('metric'), text('sourceId'), text('localDate'), text('providerRecordId')],
  });
  return rows.map(({ at, freshTo, ...key }) => ({ at, freshTo, from: { table: 'daily_rollup', ...key } }));
}
