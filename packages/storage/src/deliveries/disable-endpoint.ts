import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** `answered_410`: it asked for it. `failed_too_long`: the rule of `failedTooLong`. */
export type DisableReason = 'answered_410' | 'failed_too_long';

/**
 * Stops an endpoint and forgets its pace: enabled again, it begins anew. What is owed to it stays owed.
 * @param endpoint with `url`: only while it is there, since it was that address which answered so. @returns false when it was not enabled.
 */
export async function disableEndpoint(
  sql: Sql,
  endpoint: Scope & { readonly endpointId: string; readonly url?: string | undefined },
  reason: DisableReason,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'disable-endpoint',
    text: `
      with disabled as (
        update endpoint set status = 'disabled', disabled_reason = $4, updated_at = now()
         where tenant_id = $1 and environment = $2 and id = $3 and status = 'enabled' and ($5::text is null or url = $5)
        returning id
      ), forgotten as (
        delete from endpoint_pace p using disabled d where p.tenant_id = $1 and p.environment = $2 and p.endpoint_id = d.id
      )
      select from disabled`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId, reason, endpoint.url ?? null],
  });
  return rowCount === 1;
}
