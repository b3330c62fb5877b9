import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ProviderAppRow } from './find-provider-app.js';

export async function listProviderApps(
  sql: Sql,
  { tenantId, environment }: Scope,
  after: string,
  limit: number,
): Promise<ProviderAppRow[]> {
  const { rows } = await sql.query<ProviderAppRow & Record<string, unknown>>({
    name: 'list-provider-apps',
    text: `
      select id, provider, app_key as "appKey", client_id as "clientId", sandbox, state, tolerance_ms as "toleranceMs", accepts_carried as "acceptsCarried",
        handshaken_at as "handshakenAt", created_at as "createdAt"
      from provider_app where tenant_id = $1 and environment = $2 and id > $3
      order by id limit $4`,
    values: [tenantId, environment, after, limit],
  });
  return rows;
}
