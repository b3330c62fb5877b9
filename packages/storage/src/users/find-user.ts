import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface UserRow {
  readonly id: string;
  readonly externalId: string;
  readonly fallbackZone: string | null;
  readonly createdAt: Date;
}

export async function findUser(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<UserRow | undefined> {
  const { rows } = await sql.query<UserRow & Record<string, unknown>>({
    name: 'find-user',
    text: `
      select id, external_id as "externalId", fallback_zone as "fallbackZone", created_at as "createdAt"
      from app_user where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
