import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * After a rest, one process sends one delivery: whoever takes the probe. For the others the rest goes on for `forMs`, by when the probe
 * has told, or its process is dead.
 */
export async function takeProbe(sql: Sql, endpoint: Scope & { readonly endpointId: string }, forMs: number): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'take-probe',
    text: `
      update endpoint_pace set rests_until = now() + $4::float8 * interval '1 millisecond'
       where tenant_id = $1 and environment = $2 and endpoint_id = $3 and rests_until <= now()`,
    values: [endpoint.tenantId, endpoint.environment, endpoint.endpointId, forMs],
  });
  return rowCount === 1;
}
