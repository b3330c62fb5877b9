import type { Scope } from '@tributary/domain';
import { recordTables } from '../records/record-table.js';
import type { Sql } from '../sql.js';

export interface RowCounts {
  /** In all tables. */
  readonly live: number;
  /** Of those: complete reads lacked them, whether or not a second one has confirmed it yet. */
  readonly missing: number;
}

/** How many rows a connection has. */
export async function countRows(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<RowCounts> {
  const { rows } = await sql.query<RowCounts & Record<string, unknown>>({
    name: 'reads/count-rows',
    text,
    values: [tenantId, environment, connectionId],
  });
  return rows[0] as RowCounts;
}

const text = `
  select (select count(*) from missing_row where tenant_id = $1 and environment = $2 and connection_id = $3) as missing, ${recordTables
    .map(
      ({ name }) => `
    (select count(*) from ${name} where tenant_id = $1 and environment = $2 and connection_id = $3 and not deleted)`,
    )
    .join(' + ')} as live`;
