import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface NewConnectSession extends Scope {
  readonly id: string;
  /** The link that it begins with. */
  readonly linkId: string;
  readonly userId: string;
  readonly providerAppId: string;
  /** SHA-256 of the state: who reads the table cannot finish another person's consent. */
  readonly stateHash: Buffer;
  /** SHA-256 of the cookie of the only browser that may end it; undefined: any may. */
  readonly browserHash: Buffer | undefined;
  readonly redirectUri: string;
  readonly returnUrl: string | undefined;
  readonly lifetimeS: number;
  /** Most that may begin with one link. */
  readonly mostOfLink: number;
}

/** @returns when it ends; undefined when the user is not there (any more), or the link has begun too many. */
export async function insertConnectSession(sql: Sql, session: NewConnectSession): Promise<Date | undefined> {
  const { rows } = await sql.query<{ expiresAt: Date }>({
    name: 'insert-connect-session',
    text: `
      insert into connect_session
        (tenant_id, environment, id, user_id, provider_app_id, state_hash, redirect_uri, return_url, expires_at, link_id, browser_hash)
      select u.tenant_id, u.environment, $3, u.id, $5, $6, $7, $8, now() + make_interval(secs => $9), $10, $11
      from app_user u where u.tenant_id = $1 and u.environment = $2 and u.id = $4
        and (select count(*) from connect_session s where s.tenant_id = $1 and s.environment = $2 and s.link_id = $10) < $12
      for key share of u
      returning expires_at as "expiresAt"`,
    values: [
      session.tenantId,
      session.environment,
      session.id,
      session.userId,
      session.providerAppId,
      session.stateHash,
      session.redirectUri,
      session.returnUrl ?? null,
      session.lifetimeS,
      session.linkId,
      session.browserHash ?? null,
      session.mostOfLink,
    ],
  });
  return rows[0]?.expiresAt;
}
