import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface NewConnectSession extends Scope {
  readonly id: string;
  readonly userId: string;
  readonly providerAppId: string;
  /** SHA-256 of the state: who reads the table cannot finish another person's consent. */
  readonly stateHash: Buffer;
  readonly redirectUri: string;
  readonly returnUrl: string | undefined;
  readonly lifetimeS: number;
}

/** @returns when it ends; undefined when the user is not there (any more). */
export async function insertConnectSession(sql: Sql, session: NewConnectSession): Promise<Date | undefined> {
  const { rows } = await sql.query<{ expiresAt: Date }>({
    name: 'insert-connect-session',
    text: `
      insert into connect_session
        (tenant_id, environment, id, user_id, provider_app_id, state_hash, redirect_uri, return_url, expires_at)
      select u.tenant_id, u.environment, $3, u.id, $5, $6, $7, $8, now() + make_interval(secs => $9)
      from app_user u where u.tenant_id = $1 and u.environment = $2 and u.id = $4
      for key share
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
    ],
  });
  return rows[0]?.expiresAt;
}
