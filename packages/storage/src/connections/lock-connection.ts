import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface LockedConnection {
  readonly id: string;
  readonly userId: string;
  readonly externalId: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly subjectId: string;
  readonly status: 'active' | 'reauth_required' | 'revoked' | 'disconnected';
  /** Sealed in the context `connection:<id>:access`. */
  readonly accessToken: Buffer | null;
}

/** One connection with whose it is, held for update. */
export async function lockConnection(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<LockedConnection | undefined> {
  const { rows } = await sql.query<LockedConnection & Record<string, unknown>>({
    name: 'lock-connection',
    text: `
      select c.id, c.user_id as "userId", u.external_id as "externalId", c.provider, c.provider_app_id as "providerAppId",
        c.subject_id as "subjectId", c.status, c.access_token as "accessToken"
      from connection c
      join app_user u on u.tenant_id = c.tenant_id and u.environment = c.environment and u.id = c.user_id
      where c.tenant_id = $1 and c.environment = $2 and c.id = $3
      for update of c`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
