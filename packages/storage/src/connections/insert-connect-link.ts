import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface NewConnectLink extends Scope {
  readonly id: string;
  readonly userId: string;
  /** Undefined: every provider that the environment has an app of. */
  readonly providers: readonly string[] | undefined;
  readonly returnUrl: string | undefined;
  readonly language: string;
  readonly lifetimeS: number;
}

/** @returns when it ends; undefined when the user is not there (any more). */
export async function insertConnectLink(sql: Sql, link: NewConnectLink): Promise<Date | undefined> {
  const { rows } = await sql.query<{ expiresAt: Date }>({
    name: 'connections/insert-connect-link',
    text: `
      insert into connect_link (tenant_id, environment, id, user_id, providers, return_url, language, expires_at)
      select u.tenant_id, u.environment, $3, u.id, $5, $6, $7, now() + make_interval(secs => $8)
      from app_user u where u.tenant_id = $1 and u.environment = $2 and u.id = $4
      for key share
      returning expires_at as "expiresAt"`,
    values: [
      link.tenantId,
      link.environment,
      link.id,
      link.userId,
      link.providers ?? null,
      link.returnUrl ?? null,
      link.language,
      link.lifetimeS,
    ],
  });
  return rows[0]?.expiresAt;
}
