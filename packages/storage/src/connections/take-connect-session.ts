import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface TakenConnectSession extends Scope {
  readonly id: string;
  /** The link that it began with; null for one of before there were links. */
  readonly linkId: string | null;
  /** It began on the hosted page, and the person goes back there. */
  readonly hosted: boolean;
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
 * so there is no scope to ask by. One that began on the hosted page is taken only by the browser that began it; another leaves it as it is.
 */
export async function takeConnectSession(
  sql: Sql,
  stateHash: Buffer,
  browserHash: Buffer | undefined,
): Promise<TakenConnectSession | undefined> {
  const { rows } = await sql.query<TakenConnectSession & Record<string, unknown>>({
    name: 'take-connect-session',
    text: `
      update connect_session s set used_at = now()
      from provider_app a
      where s.state_hash = $1 and s.used_at is null and s.expires_at > now() and (s.browser_hash is null or s.browser_hash = $2)
        and a.tenant_id = s.tenant_id and a.environment = s.environment and a.id = s.provider_app_id
      returning s.tenant_id as "tenantId", s.environment, s.id, s.link_id as "linkId", s.browser_hash is not null as hosted,
        s.user_id as "userId", s.provider_app_id as "providerAppId", s.redirect_uri as "redirectUri", s.return_url as "returnUrl",
        a.provider, a.client_id as "clientId", a.sandbox`,
    values: [stateHash, browserHash ?? null],
  });
  return rows[0];
}
