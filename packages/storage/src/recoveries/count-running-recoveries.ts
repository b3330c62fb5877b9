import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** How many run in the environment. */
export async function countRunningRecoveries(sql: Sql, { tenantId, environment }: Scope): Promise<number> {
  const { rows } = await sql.query<{ n: number }>({
    name: 'recoveries/count-running-recoveries',
    text: `select count(*)::int as n from recovery where tenant_id = $1 and environment = $2 and state = 'running'`,
    values: [tenantId, environment],
  });
  return rows[0]?.n ?? 0;
}
