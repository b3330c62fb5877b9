import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ProviderAppRow } from './find-provider-app.js';

/** The newest app of the sandbox that was made for demo connections. */
export async function findDemoApp(
  sql: Sql,
  { tenantId, environment }: Scope,
  provider: string,
  clientIdPrefix: string,
): Promise<ProviderAppRow | undefined> {
  const { rows } = await sql.query<ProviderAppRow & Record<string, unknown>>({
    name: 'provider-apps/find-demo-app',
    text: `
      select id, provider, app_key as "appKey", client_id as "clientId", sandbox, state, tolerance_ms as "toleranceMs",
        accepts_carried as "acceptsCarried", handshaken_at as "handshakenAt", created_at as "createdAt"
      from provider_app
      where tenant_id = $1 and environment = $2 and provider = $3 and sandbox and state <> 'disabled' and starts_with(client_id, $4)
      order by created_at desc, id desc limit 1`,
    values: [tenantId, environment, provider, clientIdPrefix],
  });
  return rows[0];
}
