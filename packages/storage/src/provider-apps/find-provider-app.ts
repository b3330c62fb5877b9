import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ProviderAppRow {
  readonly id: string;
  readonly provider: string;
  readonly appKey: string;
  readonly clientId: string;
  readonly sandbox: boolean;
  readonly state: 'pending' | 'active' | 'disabled';
  readonly toleranceMs: number;
  readonly acceptsCarried: boolean;
  readonly handshakenAt: Date | null;
  readonly createdAt: Date;
}

export async function findProviderApp(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<ProviderAppRow | undefined> {
  const { rows } = await sql.query<ProviderAppRow & Record<string, unknown>>({
    name: 'find-provider-app',
    text: `
      select id, provider, app_key as "appKey", client_id as "clientId", sandbox, state, tolerance_ms as "toleranceMs", accepts_carried as "acceptsCarried",
        handshaken_at as "handshakenAt", created_at as "createdAt"
      from provider_app where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
