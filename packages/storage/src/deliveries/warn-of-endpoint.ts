import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Notes that the owner of a failing endpoint is warned. @returns false when that was done since it began to fail, or it is well or disabled. */
export async function warnOfEndpoint(sql: Sql, endpoint: Scope & { readonly endpointId: string }): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'warn-of-endpoint',
    text: `
      update endpoint set warned_at = now()
       where tenant_id = $1 and environment = $2 and id = $3 and status = 'enabled'
         and failing_since is not null and (warned_at is null or warned_at < failing_since)`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId],
  });
  return rowCount === 1;
}
