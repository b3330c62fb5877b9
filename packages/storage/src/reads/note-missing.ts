import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

export interface NewlyMissing {
  readonly rowName: string;
  readonly table: string;
  readonly localDate: string;
  /** Two reads agree on it: start of the second, microseconds. Undefined: this is the first. */
  readonly confirmedVersion: number | undefined;
}

/** One read, for all rows that it lacks. */
export interface LackingRead extends Scope {
  readonly connectionId: string;
  readonly collection: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly scopes: readonly string[];
  readonly normalizerVersion: number;
}

/**
 * Keeps what a complete read lacked. A row that is confirmed keeps the first read beside it; any other begins anew with this one, so
 * give only those that were shown since, or were looked for by a read that this one cannot be compared with.
 */
export async function noteMissing(sql: Sql, read: LackingRead, rows: readonly NewlyMissing[]): Promise<void> {
  if (rows.length === 0) return;
  await sql.query({
    name: 'reads/note-missing',
    text: `
      insert into missing_row as m (tenant_id, environment, connection_id, collection, record_table, row_name, local_date, sent_at, scopes,
        normalizer_version, confirmed_version)
      select $1, $2, $3, $4, k.record_table, k.row_name, k.day::date, to_timestamp($5::float8 / 1000), $6::text[], $7, k.confirmed
      from unnest($8::text[], $9::text[], $10::text[], $11::int8[]) as k (record_table, row_name, day, confirmed)
      where exists (select 1 from connection where tenant_id = $1 and environment = $2 and id = $3 for key share)
      order by k.row_name
      on conflict (tenant_id, environment, connection_id, collection, row_name) do update set
        confirmed_version = excluded.confirmed_version,
        sent_at = case when excluded.confirmed_version is null then excluded.sent_at else m.sent_at end,
        scopes = excluded.scopes, normalizer_version = excluded.normalizer_version`,
    values: [
      read.tenantId,
      read.environment,
      read.connectionId,
      read.collection,
      read.sentAt,
      pgArray('text', read.scopes),
      read.normalizerVersion,
      pgArray(
        'text',
        rows.map((row) => row.table),
      ),
      pgArray(
        'text',
        rows.map((row) => row.rowName),
      ),
      pgArray(
        'text',
        rows.map((row) => row.localDate),
      ),
      pgArray(
        'int8',
        rows.map((row) => row.confirmedVersion),
      ),
    ],
  });
}
