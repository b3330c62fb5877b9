import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { UserRow } from './find-user.js';

export interface NewUser extends Scope {
  readonly id: string;
  readonly externalId: string;
  readonly fallbackZone: string | undefined;
}

/** @returns undefined when the tenant's id is taken already; nothing is changed then. */
export async function insertUser(sql: Sql, user: NewUser): Promise<UserRow | undefined> {
  const { rows } = await sql.query<UserRow & Record<string, unknown>>({
    name: 'insert-user',
    text: `
      insert into app_user (tenant_id, environment, id, external_id, fallback_zone) values ($1, $2, $3, $4, $5)
      on conflict (tenant_id, environment, external_id) do nothing
      returning id, external_id as "externalId", fallback_zone as "fallbackZone", created_at as "createdAt"`,
    values: [user.tenantId, user.environment, user.id, user.externalId, user.fallbackZone ?? null],
  });
  return rows[0];
}
