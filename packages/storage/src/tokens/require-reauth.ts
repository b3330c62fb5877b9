import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The grant is worthless: the connection waits for a new consent. Call it while the connection is locked. */
export async function requireReauth(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<void> {
  await sql.query({
    name: 'tokens/require-reauth',
    text: `
      update connection set status = 'reauth_required', next_sweep_at = null, updated_at = clock_timestamp()
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, connectionId],
  });
}
