import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Keeps an erasure of the user out until the transaction ends. @returns undefined when there is no such user (any more). */
export async function lockUser(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<{ externalId: string } | undefined> {
  const { rows } = await sql.query<{ externalId: string }>({
    name: 'lock-user',
    text: `
      select external_id as "externalId" from app_user where tenant_id = $1 and environment = $2 and id = $3
      for key share`,
    values: [tenantId, environment, userId],
  });
  return rows[0];
}
