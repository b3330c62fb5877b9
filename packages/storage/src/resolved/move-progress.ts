import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The view holds every change up to `upto` now. Together with its rows, so that no kill can lose a change between both. */
export async function moveProgress(sql: Sql, { tenantId, environment }: Scope, upto: number): Promise<void> {
  await sql.query({
    name: 'resolved/move-progress',
    text: `update resolved_progress set upto = greatest(upto, $3) where tenant_id = $1 and environment = $2`,
    values: [tenantId, environment, upto],
  });
}
