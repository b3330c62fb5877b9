import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Tried in vain: due again after `afterMs`. */
export async function postponeRevocation(sql: Sql, { tenantId, environment }: Scope, id: string, afterMs: number): Promise<void> {
  await sql.query({
    name: 'revocations/postpone-revocation',
    text: `
      update upstream_revocation set due_at = clock_timestamp() + $4 * interval '1 millisecond'
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id, afterMs],
  });
}
