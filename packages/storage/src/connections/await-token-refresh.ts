import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Waits until nobody refreshes a token of the user, which keeps a connection locked during a call to the provider. Called outside
 * the transaction that follows, so that this wait is not spent while the environment's revision counter is held.
 */
export async function awaitTokenRefresh(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<void> {
  await sql.query({
    name: 'await-token-refresh',
    text: `select 1 from connection where tenant_id = $1 and environment = $2 and user_id = $3 order by id for no key update`,
    values: [tenantId, environment, userId],
  });
}
