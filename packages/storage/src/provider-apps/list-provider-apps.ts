import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ShownProviderApp } from './find-provider-app.js';

export async function listProviderApps(
  sql: Sql,
  { tenantId, environment }: Scope,
  after: string,
  limit: number,
): Promise<ShownProviderApp[]> {
  const { rows } = await sql.query<ShownProviderApp & Record<string, unknown>>({
    name: 'list-provider-apps',
    text: `
      select a.id, a.provider, a.app_key as "appKey", a.client_id as "clientId", a.sandbox, a.state, a.tolerance_ms as "toleranceMs",
        a.accepts_carried as "acceptsCarried", a.handshaken_at as "handshakenAt", a.created_at as "createdAt",
        k.next_check_at as "nextCheckAt", k.checked_at as "checkedAt", k.kept_at as "keptAt", k.last_error as "lastError",
        k.expires_at as "expiresAt"
      from provider_app a
      left join subscription_upkeep k on k.tenant_id = a.tenant_id and k.environment = a.environment and k.provider_app_id = a.id
      where a.tenant_id = $1 and a.environment = $2 and a.id > $3
      order by a.id limit $4`,
    values: [tenantId, environment, after, limit],
  });
  return rows;
}
