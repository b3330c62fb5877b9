import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * What was confirmed of a connection is dealt with. `keep`: so much was missing that a person must look; it stays missing, and two more
 * reads that agree ask the question again.
 */
export async function endMissing(sql: Sql, { tenantId, environment }: Scope, connectionId: string, keep: boolean): Promise<void> {
  await sql.query({
    name: 'reads/end-missing',
    text: `
      with kept as (
        update missing_row set confirmed_version = null, sent_at = clock_timestamp()
        where tenant_id = $1 and environment = $2 and connection_id = $3 and confirmed_version is not null and $4
      )
      delete from missing_row
      where tenant_id = $1 and environment = $2 and connection_id = $3 and confirmed_version is not null and not $4`,
    values: [tenantId, environment, connectionId, keep],
  });
}
