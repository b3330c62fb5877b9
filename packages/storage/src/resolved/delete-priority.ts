import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** @returns false when there was none. */
export async function deletePriority(
  sql: Sql,
  { tenantId, environment }: Scope,
  { userId, metric }: { readonly userId: string | undefined; readonly metric: string },
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'resolved/delete-priority',
    text: `
      delete from source_priority
      where tenant_id = $1 and environment = $2 and user_id is not distinct from $3::text and metric = $4`,
    values: [tenantId, environment, userId ?? null, metric],
  });
  return rowCount === 1;
}
