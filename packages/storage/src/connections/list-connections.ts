import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ConnectionRow } from './find-connection.js';

export interface ConnectionFilter {
  /** Undefined: of every user. */
  readonly userId: string | undefined;
  readonly after: string;
  readonly limit: number;
}

export async function listConnections(sql: Sql, { tenantId, environment }: Scope, filter: ConnectionFilter): Promise<ConnectionRow[]> {
  const { rows } = await sql.query<ConnectionRow & Record<string, unknown>>({
    name: 'list-connections',
    text: `
      select id, user_id as "userId", provider, provider_app_id as "providerAppId", status, scopes,
        created_at as "createdAt", updated_at as "updatedAt"
      from connection
      where tenant_id = $1 and environment = $2 and id > $3 and ($4::text is null or user_id = $4)
      order by id limit $5`,
    values: [tenantId, environment, filter.after, filter.userId ?? null, filter.limit],
  });
  return rows;
}
