import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The person is done with a link: from now on it opens nothing. */
export async function endConnectLink(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<void> {
  await sql.query({
    name: 'connections/end-connect-link',
    text: `update connect_link set ended_at = now() where tenant_id = $1 and environment = $2 and id = $3 and ended_at is null`,
    values: [tenantId, environment, id],
  });
}
