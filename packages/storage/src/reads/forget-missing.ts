import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { DaysOfCollection } from './held-of-days.js';

/** A complete read of these days lacked no rows but these: what was missing before and was shown now, or went otherwise, is missing no more. */
export async function forgetMissing(
  sql: Sql,
  { tenantId, environment, connectionId, collection, from, to }: DaysOfCollection,
  stillMissing: readonly string[],
): Promise<void> {
  await sql.query({
    name: 'reads/forget-missing',
    text: `
      delete from missing_row
      where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = $4
        and local_date >= $5::date and local_date < $6::date and row_name <> all($7::text[])`,
    values: [tenantId, environment, connectionId, collection, from, to, pgArray('text', stillMissing)],
  });
}
