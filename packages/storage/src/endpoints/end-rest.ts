import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Lets a resting endpoint be probed now and not when its rest would end: its owner wants to know. */
export async function endRest(sql: Sql, { tenantId, environment }: Scope, endpointId: string): Promise<void> {
  await sql.query({
    name: 'endpoints/end-rest',
    text: `
      update endpoint_pace set rests_until = now()
       where tenant_id = $1 and environment = $2 and endpoint_id = $3 and rests_until > now()`,
    values: [tenantId, environment, endpointId],
  });
}
