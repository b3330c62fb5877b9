import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** The rows show what these scopes permit. @returns false when that is told already, or the scopes have changed since. */
export async function endPermissions(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  scopes: readonly string[],
): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'reads/end-permissions',
    text: `
      update connection set permissions_due = false
      where tenant_id = $1 and environment = $2 and id = $3 and permissions_due and scopes = $4::text[]
      returning 1`,
    values: [tenantId, environment, connectionId, pgArray('text', scopes)],
  });
  return rows.length > 0;
}
