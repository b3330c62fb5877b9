import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type BackfillRow, backfillJoins, shownBackfill } from './shown-backfill.js';

export async function findBackfill(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<BackfillRow | undefined> {
  const { rows } = await sql.query<BackfillRow & Record<string, unknown>>({
    name: 'backfills/find-backfill',
    text: `select ${shownBackfill} from backfill b ${backfillJoins} where b.tenant_id = $1 and b.environment = $2 and b.id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
