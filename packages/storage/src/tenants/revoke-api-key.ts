import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** From the commit on the key opens nothing. The row stays, for the audit log; answers kept for it go. @returns false: there is none of that id. */
export async function revokeApiKey(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'revoke-api-key',
    text: `
      with kept as (
        delete from kept_answer where tenant_id = $1 and environment = $2 and api_key_id = $3
      )
      update api_key set revoked_at = coalesce(revoked_at, now()) where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rowCount === 1;
}
