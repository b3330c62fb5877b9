import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** What {@link takeRate} took and nothing was there to send for, in milliseconds. */
export async function giveBackRate(sql: Sql, endpoint: Scope & { readonly endpointId: string }, ms: number): Promise<void> {
  await sql.query({
    name: 'give-back-rate',
    text: `
      update endpoint_pace set rate_taken_until = rate_taken_until - $4::float8 * interval '1 millisecond'
       where tenant_id = $1 and environment = $2 and endpoint_id = $3 and rate_taken_until is not null`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId, ms],
  });
}
