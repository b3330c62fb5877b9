import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ConnectionRow {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly providerAppId: string;
  readonly status: 'active' | 'reauth_required' | 'revoked' | 'disconnected';
  readonly scopes: string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export async function findConnection(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<ConnectionRow | undefined> {
  const { rows } = await sql.query<ConnectionRow & Record<string, unknown>>({
    name: 'find-connection',
    text: `
      select id, user_id as "userId", provider, provider_app_id as "providerAppId", status, scopes,
        created_at as "createdAt", updated_at as "updatedAt"
      from connection where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
