import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The id of the backfill that runs for a connection; there is one at most. Held for update. */
export async function findRunningBackfill(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'backfills/find-running-backfill',
    text: `
      select id from backfill where tenant_id = $1 and environment = $2 and connection_id = $3 and state = 'running' for update`,
    values: [tenantId, environment, connectionId],
  });
  return rows[0]?.id;
}
