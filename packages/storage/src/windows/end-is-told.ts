import { type Scope, grantCollection } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Whether a notice said that the grant ended or changed, and nobody has looked yet. Sweeps look at the grant too, by days; only notices
 * make the whole of it doubtful.
 */
export async function endIsTold(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'windows/end-is-told',
    text: `
      select 1 from fetch_window
      where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = $4 and window_kind = 'whole'
        and state in ('waiting', 'fetching') and notices > 0`,
    values: [tenantId, environment, connectionId, grantCollection],
  });
  return (rowCount ?? 0) > 0;
}
