import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { UserRow } from '../users/find-user.js';

/**
 * The customer says where the person is, for records that tell no zone; null: that nobody knows. Rows that rest on a guess may move, and
 * every connection of theirs is marked so.
 * @returns undefined when there is no such user.
 */
export async function setFallbackZone(
  sql: Sql,
  { tenantId, environment }: Scope,
  userId: string,
  zone: string | null,
): Promise<UserRow | undefined> {
  const { rows } = await sql.query<UserRow & Record<string, unknown>>({
    name: 'whereabouts/set-fallback-zone',
    text: `
      with before as materialized (
        select fallback_zone from app_user where tenant_id = $1 and environment = $2 and id = $3 for update
      ), marked as (
        update connection set redate_due = true
        where tenant_id = $1 and environment = $2 and user_id = $3 and exists (select 1 from before where fallback_zone is distinct from $4)
      )
      update app_user set fallback_zone = $4
      where tenant_id = $1 and environment = $2 and id = $3 and exists (select 1 from before)
      returning id, external_id as "externalId", fallback_zone as "fallbackZone", created_at as "createdAt"`,
    values: [tenantId, environment, userId, zone],
  });
  return rows[0];
}
