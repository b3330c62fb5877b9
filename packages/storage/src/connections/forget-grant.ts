import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The person ended the grant at the provider: its tokens are forgotten. Call it while the connection is locked. */
export async function forgetGrant(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<void> {
  await sql.query({
    name: 'connections/forget-grant',
    text: `
      update connection set status = 'revoked', access_token = null, refresh_token = null, token_expires_at = null, next_sweep_at = null,
        updated_at = clock_timestamp()
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, connectionId],
  });
}
