import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface HeldConnection {
  readonly id: string;
  readonly providerAppId: string;
  readonly subjectId: string;
  readonly status: 'active' | 'reauth_required' | 'revoked' | 'disconnected';
  /** When its grant was last given or ended. */
  readonly updatedAt: Date;
}

/** The user's connection at a provider, held for update. Waits for a token refresh in progress. */
export async function lockConnectionOfUser(
  sql: Sql,
  { tenantId, environment }: Scope,
  userId: string,
  provider: string,
): Promise<HeldConnection | undefined> {
  const { rows } = await sql.query<HeldConnection & Record<string, unknown>>({
    name: 'lock-connection-of-user',
    text: `
      select id, provider_app_id as "providerAppId", subject_id as "subjectId", status, updated_at as "updatedAt"
      from connection where tenant_id = $1 and environment = $2 and user_id = $3 and provider = $4
      for no key update`,
    values: [tenantId, environment, userId, provider],
  });
  return rows[0];
}
