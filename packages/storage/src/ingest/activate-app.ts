import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The provider proved itself by a signed delivery: an app that still waits for its handshake has had it. Any other is left as it is. */
export async function activateApp(sql: Sql, { tenantId, environment }: Scope, providerAppId: string): Promise<void> {
  await sql.query({
    name: 'ingest/activate-app',
    text: `
      update provider_app set state = 'active', handshaken_at = coalesce(handshaken_at, now()), updated_at = now()
      where tenant_id = $1 and environment = $2 and id = $3 and state = 'pending'`,
    values: [tenantId, environment, providerAppId],
  });
}
