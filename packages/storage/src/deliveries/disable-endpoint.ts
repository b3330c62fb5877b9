import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** `answered_410`: it asked for it. `failed_too_long`: the rule of `failedTooLong`. */
export type DisableReason = 'answered_410' | 'failed_too_long';

/** Stops an endpoint and forgets its pace: enabled again, it begins anew. What is owed to it stays owed. @returns false when it was not enabled. */
export async function disableEndpoint(
  sql: Sql,
  endpoint: Scope & { readonly endpointId: string },
  reason: DisableReason,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'disable-endpoint',
    text: `
      with forgotten as (
        delete from endpoint_pace where tenant_id = $1 and environment = $2 and endpoint_id = $3
      )
      update endpoint set status = 'disabled', disabled_reason = $4, updated_at = now()
       where tenant_id = $1 and environment = $2 and id = $3 and status = 'enabled'`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId, reason],
  });
  return rowCount === 1;
}
