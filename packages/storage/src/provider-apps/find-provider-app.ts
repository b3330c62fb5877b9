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

/** How the upkeep of its subscriptions stands; all null before it began. */
export interface ShownProviderApp extends ProviderAppRow {
  readonly nextCheckAt: Date | null;
  /** The last check that ended, well or not. */
  readonly checkedAt: Date | null;
  /** The last that found or made everything as it should be. */
  readonly keptAt: Date | null;
  readonly lastError: string | null;
  /** The first end of subscriptions that lapse. */
  readonly expiresAt: Date | null;
}

export async function findProviderApp(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<ShownProviderApp | undefined> {
  const { rows } = await sql.query<ShownProviderApp & Record<string, unknown>>({
    name: 'find-provider-app',
    text: `
      select a.id, a.provider, a.app_key as "appKey", a.client_id as "clientId", a.sandbox, a.state, a.tolerance_ms as "toleranceMs",
        a.accepts_carried as "acceptsCarried", a.handshaken_at as "handshakenAt", a.created_at as "createdAt",
        k.next_check_at as "nextCheckAt", k.checked_at as "checkedAt", k.kept_at as "keptAt", k.last_error as "lastError",
        k.expires_at as "expiresAt"
      from provider_app a
      left join subscription_upkeep k on k.tenant_id = a.tenant_id and k.environment = a.environment and k.provider_app_id = a.id
      where a.tenant_id = $1 and a.environment = $2 and a.id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
