import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Ends one that runs, waiting for a slice under way; what it made due stays due. @returns false when it had ended before. */
export async function endRecovery(
  sql: Sql,
  { tenantId, environment }: Scope,
  id: string,
  state: 'completed' | 'cancelled',
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'recoveries/end-recovery',
    text: `
      update recovery set state = $4, ended_at = clock_timestamp(), slice_at = null
      where tenant_id = $1 and environment = $2 and id = $3 and state = 'running'`,
    values: [tenantId, environment, id, state],
  });
  return rowCount === 1;
}
