import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Holds the endpoint until the transaction ends. @returns false when there is none. */
export async function lockEndpoint(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'lock-endpoint',
    text: `select 1 from endpoint where tenant_id = $1 and environment = $2 and id = $3 for update`,
    values: [tenantId, environment, id],
  });
  return rowCount === 1;
}
