import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Nothing of this connection is read until the person consents again. Leases are taken away: what is under way writes nothing. */
export async function parkConnectionWindows(sql: Sql, { tenantId, environment }: Scope, connectionId: string): Promise<void> {
  await sql.query({
    name: 'windows/park-connection-windows',
    text: `
      update fetch_window set state = 'parked', lease_token = null, dirty = false
      where tenant_id = $1 and environment = $2 and connection_id = $3 and state in ('waiting', 'fetching')`,
    values: [tenantId, environment, connectionId],
  });
}
