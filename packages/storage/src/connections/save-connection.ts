import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface GrantedConnection extends Scope {
  /** Of the connection that exists; a new one otherwise. */
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly subjectId: string;
  /** Sealed in the context `connection:<id>:access`. */
  readonly accessToken: Buffer;
  /** Sealed in the context `connection:<id>:refresh`. */
  readonly refreshToken: Buffer | undefined;
  readonly tokenExpiresAt: Date;
  readonly scopes: readonly string[];
}

/**
 * Makes the connection, or gives an existing one its new grant under the same id. The next sweep is within an interval, at a
 * place of its own, so that people who were connected together are not swept together.
 */
export async function saveConnection(sql: Sql, connection: GrantedConnection): Promise<void> {
  await sql.query({
    name: 'save-connection',
    text: `
      insert into connection as c
        (tenant_id, environment, id, user_id, provider, provider_app_id, subject_id, status, access_token, refresh_token,
         token_expires_at, scopes, next_sweep_at)
      select tenant_id, environment, $3, $4, $5, $6, $7, 'active', $8, $9, $10, $11, now() + make_interval(secs => sweep_interval_s * (0.5 + 0.5 * random()))
      from environment where tenant_id = $1 and environment = $2
      on conflict (tenant_id, environment, id) do update set
        provider_app_id = excluded.provider_app_id, status = 'active', access_token = excluded.access_token,
        refresh_token = excluded.refresh_token, token_expires_at = excluded.token_expires_at, scopes = excluded.scopes,
        next_sweep_at = excluded.next_sweep_at, updated_at = now(),
        permissions_due = c.permissions_due or not (excluded.scopes <@ c.scopes and excluded.scopes @> c.scopes)`,
    values: [
      connection.tenantId,
      connection.environment,
      connection.id,
      connection.userId,
      connection.provider,
      connection.providerAppId,
      connection.subjectId,
      connection.accessToken,
      connection.refreshToken ?? null,
      connection.tokenExpiresAt,
      connection.scopes,
    ],
  });
}
