import type { Scope } from '@tributary/domain';
import { recordTables, rowName } from '../records/record-table.js';
import type { Sql } from '../sql.js';
import { type RowOfDays, rowOfDaysFields } from './held-of-days.js';

/** A live row whose absence two reads agree on. */
export type ConfirmedMissing = RowOfDays & {
  readonly collection: string;
  /** Start of the second read, microseconds. */
  readonly confirmedVersion: number;
};

/** Rows of a connection that two reads agree to be gone, that nobody has written or was shown since, and that are still there. */
export async function readConfirmedMissing(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<ConfirmedMissing[]> {
  const { rows } = await sql.query<ConfirmedMissing & { name: string } & Record<string, unknown>>({
    name: 'reads/confirmed-missing',
    text,
    values: [tenantId, environment, connectionId],
  });
  return rows.filter((row) => rowName(row) === row.name && row.version < row.confirmedVersion);
}

/** Names of rows are made in our process: by day and collection first, and by name there. */
const text = recordTables
  .map(
    (table) => `
    select ${rowOfDaysFields(table)}, m.row_name as name, m.collection, m.confirmed_version as "confirmedVersion"
    from missing_row m
    join ${table.name} r on r.tenant_id = $1 and r.environment = $2 and r.connection_id = $3 and r.collection = m.collection
      and r.local_date = m.local_date and not r.deleted
    where m.tenant_id = $1 and m.environment = $2 and m.connection_id = $3 and m.record_table = '${table.name}'
      and m.confirmed_version is not null and r.fresh_from <= m.confirmed_version / 1000`,
  )
  .join(' union all ');
