import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface HeldGrant {
  readonly id: string;
  readonly externalId: string;
  readonly provider: string;
  readonly clientId: string;
  readonly subjectId: string;
  readonly status: 'active' | 'reauth_required';
  readonly scopes: string[];
  /** Sealed in the context `connection:<id>:access`. */
  readonly accessToken: Buffer;
  /** Sealed in the context `connection:<id>:refresh`. */
  readonly refreshToken: Buffer | null;
  readonly tokenExpiresAt: Date | null;
}

/** Grants that there are tokens of, in the order of their connections. */
export async function listGrants(sql: Sql, { tenantId, environment }: Scope, after: string, limit: number): Promise<HeldGrant[]> {
  const { rows } = await sql.query<HeldGrant & Record<string, unknown>>({
    name: 'connections/list-grants',
    text: `
      select c.id, u.external_id as "externalId", c.provider, a.client_id as "clientId", c.subject_id as "subjectId", c.status, c.scopes,
        c.access_token as "accessToken", c.refresh_token as "refreshToken", c.token_expires_at as "tokenExpiresAt"
      from connection c
      join app_user u on u.tenant_id = c.tenant_id and u.environment = c.environment and u.id = c.user_id
      join provider_app a on a.tenant_id = c.tenant_id and a.environment = c.environment and a.id = c.provider_app_id
      where c.tenant_id = $1 and c.environment = $2 and c.id > $3 and c.access_token is not null
        and c.status in ('active', 'reauth_required')
      order by c.id limit $4`,
    values: [tenantId, environment, after, limit],
  });
  return rows;
}
