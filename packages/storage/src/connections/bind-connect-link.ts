import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Makes a link that is good one browser's, or finds that it is this one's already. @returns false: it is another's, has ended or expired. */
export async function bindConnectLink(sql: Sql, { tenantId, environment }: Scope, id: string, browserHash: Buffer): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'connections/bind-connect-link',
    text: `
      update connect_link set browser_hash = $4
      where tenant_id = $1 and environment = $2 and id = $3 and ended_at is null and expires_at > now()
        and (browser_hash is null or browser_hash = $4)`,
    values: [tenantId, environment, id, browserHash],
  });
  return rowCount === 1;
}
