import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** The provider no longer honours the token: nothing is owed any more. */
export async function endRevocation(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<void> {
  await sql.query({
    name: 'revocations/end-revocation',
    text: 'delete from upstream_revocation where tenant_id = $1 and environment = $2 and id = $3',
    values: [tenantId, environment, id],
  });
}
