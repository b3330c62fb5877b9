import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The user, held for update: no consent can begin or end for them meanwhile. */
export async function lockPerson(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<{ externalId: string } | undefined> {
  const { rows } = await sql.query<{ externalId: string }>({
    name: 'lock-person',
    text: `
      select external_id as "externalId" from app_user where tenant_id = $1 and environment = $2 and id = $3
      for update`,
    values: [tenantId, environment, userId],
  });
  return rows[0];
}
