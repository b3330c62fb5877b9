import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { Renewal } from './read-renewal.js';

/** The users of this part are done: the renewal goes on behind the last of them, or is over. */
export async function endRenewalPart(sql: Sql, { tenantId, environment }: Scope, { id, lastUser }: Renewal): Promise<void> {
  await sql.query({
    name: 'resolved/end-renewal-part',
    text: `
      with over as (
        delete from resolved_renewal where tenant_id = $1 and environment = $2 and id = $3 and $4::text is null
      )
      update resolved_renewal set after_user = $4 where tenant_id = $1 and environment = $2 and id = $3 and $4::text is not null`,
    values: [tenantId, environment, id, lastUser ?? null],
  });
}
