import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Its secrets go with it. */
export async function deleteEndpoint(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'delete-endpoint',
    text: `delete from endpoint where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rowCount === 1;
}
