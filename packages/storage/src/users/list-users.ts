import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { UserRow } from './find-user.js';

export async function listUsers(sql: Sql, { tenantId, environment }: Scope, after: string, limit: number): Promise<UserRow[]> {
  const { rows } = await sql.query<UserRow & Record<string, unknown>>({
    name: 'list-users',
    text: `
      select id, external_id as "externalId", fallback_zone as "fallbackZone", created_at as "createdAt"
      from app_user where tenant_id = $1 and environment = $2 and id > $3
      order by id limit $4`,
    values: [tenantId, environment, after, limit],
  });
  return rows;
}
