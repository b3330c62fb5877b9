import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { UserRow } from './find-user.js';

export async function findUserByExternalId(sql: Sql, { tenantId, environment }: Scope, externalId: string): Promise<UserRow | undefined> {
  const { rows } = await sql.query<UserRow & Record<string, unknown>>({
    name: 'find-user-by-external-id',
    text: `
      select id, external_id as "externalId", fallback_zone as "fallbackZone", created_at as "createdAt"
      from app_user where tenant_id = $1 and environment = $2 and external_id = $3`,
    values: [tenantId, environment, externalId],
  });
  return rows[0];
}
