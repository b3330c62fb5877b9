import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** A person has looked at it and leaves it as it is. @returns false when it is not there or closed already. */
export async function discardDeadLetter(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'dead-letters/discard-dead-letter',
    text: `
      update dead_letter set closed_at = clock_timestamp(), close_reason = 'discarded'
      where tenant_id = $1 and environment = $2 and id = $3 and closed_at is null`,
    values: [tenantId, environment, id],
  });
  return rowCount === 1;
}
