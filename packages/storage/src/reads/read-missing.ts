import type { Sql } from '../sql.js';
import type { DaysOfCollection } from './held-of-days.js';

/** What an earlier read of the day lacked. */
export interface MissingRow {
  readonly rowName: string;
  /** Start of that read, epoch milliseconds, and what it could see. */
  readonly sentAt: number;
  readonly scopes: readonly string[];
  readonly normalizerVersion: number;
}

/** Rows of these days that earlier complete reads lacked, each with the first such read. */
export async function readMissing(
  sql: Sql,
  { tenantId, environment, connectionId, collection, from, to }: DaysOfCollection,
): Promise<MissingRow[]> {
  const { rows } = await sql.query<MissingRow & Record<string, unknown>>({
    name: 'reads/read-missing',
    text: `
      select row_name as "rowName", (extract(epoch from sent_at) * 1000)::float8 as "sentAt", scopes,
        normalizer_version as "normalizerVersion"
      from missing_row
      where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = $4
        and local_date >= $5::date and local_date < $6::date`,
    values: [tenantId, environment, connectionId, collection, from, to],
  });
  return rows;
}
