import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The provider refused what needs this scope. @returns whether we thought that we had it; then the rows are owed to show it. */
export async function dropScope(sql: Sql, { tenantId, environment }: Scope, connectionId: string, scope: string): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'reads/drop-scope',
    text: `
      update connection set scopes = array_remove(scopes, $4), permissions_due = true, updated_at = now()
      where tenant_id = $1 and environment = $2 and id = $3 and $4 = any(scopes)
      returning 1`,
    values: [tenantId, environment, connectionId, scope],
  });
  return rows.length > 0;
}
