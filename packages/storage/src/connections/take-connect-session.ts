import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface TakenConnectSession extends Scope {
  readonly id: string;
  readonly userId: string;
  readonly providerAppId: string;
  readonly redirectUri: string;
  readonly returnUrl: string | null;
  readonly provider: string;
  readonly clientId: string;
  readonly sandbox: boolean;
}

/**
 * Takes a session by its state, once: of two callbacks with one state, one gets nothing. The state is what tells us whose it is,
 * so there is no scope to ask by.
 */
export async function takeConnectSession(sql: Sql, stateHash: Buffer): Promise<TakenConnectSession | undefined> {
  const { rows } = await sql.query<TakenConnectSession & Record<string, unknown>>({
    name: 'take-connect-session',
    text: `
      update connect_session s set used_at = now()
      from provider_app a
      where s.state_hash = $1 and s.used_at is null and s.expires_at > now()
        and a.tenant_id = s.tenant_id and a.environment = s.environment and a.id = s.provider_app_id
      returning s.tenant_id as "tenantId", s.environment, s.id, s.user_id as "userId", s.provider_app_id as "providerAppId",
        s.redirect_uri as "redirectUri", s.return_url as "returnUrl", a.provider, a.client_id as "clientId", a.sandbox`,
    values: [stateHash],
  });
  return rows[0];
}
