import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Collections of a connection whose past was read, or is being read. A cancelled or failed part does not count as read. */
export async function listBackfilledCollections(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<string[]> {
  const { rows } = await sql.query<{ collection: string }>({
    name: 'backfills/list-backfilled-collections',
    text: `
      select distinct p.collection
      from backfill b
      join backfill_part p on p.tenant_id = b.tenant_id and p.environment = b.environment and p.backfill_id = b.id
      where b.tenant_id = $1 and b.environment = $2 and b.connection_id = $3 and p.state in ('running', 'done')
      order by 1`,
    values: [tenantId, environment, connectionId],
  });
  return rows.map((row) => row.collection);
}
