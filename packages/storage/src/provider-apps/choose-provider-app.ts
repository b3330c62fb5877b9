import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ProviderAppRow } from './find-provider-app.js';

/** The app that new consents go through: the newest one of the provider that is not disabled. */
export async function chooseProviderApp(sql: Sql, { tenantId, environment }: Scope, provider: string): Promise<ProviderAppRow | undefined> {
  const { rows } = await sql.query<ProviderAppRow & Record<string, unknown>>({
    name: 'choose-provider-app',
    text: `
      select id, provider, app_key as "appKey", client_id as "clientId", sandbox, state, tolerance_ms as "toleranceMs",
        handshaken_at as "handshakenAt", created_at as "createdAt"
      from provider_app
      where tenant_id = $1 and environment = $2 and provider = $3 and state <> 'disabled'
      order by created_at desc, id desc limit 1`,
    values: [tenantId, environment, provider],
  });
  return rows[0];
}
