import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The provider proved our callback: the app is active from now on, unless somebody disabled it. */
export async function markHandshaken(sql: Sql, { tenantId, environment }: Scope, providerAppId: string): Promise<void> {
  await sql.query({
    name: 'ingest/mark-handshaken',
    text: `
      update provider_app set state = 'active', handshaken_at = now(), updated_at = now()
      where tenant_id = $1 and environment = $2 and id = $3 and state <> 'disabled'`,
    values: [tenantId, environment, providerAppId],
  });
}
