import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Nothing more is read for the connection; a fetch in progress finds its window gone and writes nothing. */
export async function deleteWindows(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'delete-windows',
    text: `delete from fetch_window where tenant_id = $1 and environment = $2 and connection_id = $3`,
    values: [tenantId, environment, connectionId],
  });
  return rowCount ?? 0;
}
