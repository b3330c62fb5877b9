import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** It signs nothing more from the commit on: secrets are read for every slice. @returns false when there was none of that id. */
export async function deleteEndpointSecret(sql: Sql, { tenantId, environment }: Scope, endpointId: string, id: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'endpoints/delete-endpoint-secret',
    text: `delete from endpoint_secret where tenant_id = $1 and environment = $2 and endpoint_id = $3 and id = $4`,
    values: [tenantId, environment, endpointId, id],
  });
  return rowCount === 1;
}
