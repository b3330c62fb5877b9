import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Keeps a connection from being erased until the transaction ends. Taken after the revisions and before any row.
 * @returns false when it is not there any more, or ended.
 */
export async function holdConnection(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'reads/hold-connection',
    text: `
      select 1 from connection
      where tenant_id = $1 and environment = $2 and id = $3 and status in ('active', 'reauth_required')
      for key share`,
    values: [tenantId, environment, connectionId],
  });
  return rows.length > 0;
}
