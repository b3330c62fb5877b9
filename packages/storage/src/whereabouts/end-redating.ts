import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { ConnectionStanding } from './load-standing.js';

/** All rows were looked at in the light of these zones. Where more was learned meanwhile, they are looked at again. */
export async function endRedating(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  { zones, fallbackZone }: Pick<ConnectionStanding, 'zones' | 'fallbackZone'>,
): Promise<void> {
  await sql.query({
    name: 'whereabouts/end-redating',
    text: `
      update connection c set redate_due = false
      where c.tenant_id = $1 and c.environment = $2 and c.id = $3
        and (select count(*) from profile_zone z where z.tenant_id = $1 and z.environment = $2 and z.connection_id = $3) = $4::int
        and exists (select 1 from app_user u
          where u.tenant_id = $1 and u.environment = $2 and u.id = c.user_id and u.fallback_zone is not distinct from $5::text)`,
    values: [tenantId, environment, connectionId, zones.length, fallbackZone ?? null],
  });
}
