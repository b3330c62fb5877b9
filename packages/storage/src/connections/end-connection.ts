import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Drops the tokens and stops the sweep; what we hold of the person stays until the user is erased. */
export async function endConnection(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<void> {
  await sql.query({
    name: 'end-connection',
    text: `
      update connection
      set status = 'disconnected', access_token = null, refresh_token = null, token_expires_at = null, next_sweep_at = null,
        updated_at = now()
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
}
