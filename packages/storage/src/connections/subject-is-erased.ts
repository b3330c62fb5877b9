import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Whether the person was erased and has not consented since. @param hashes under every key of the ring. */
export async function subjectIsErased(
  sql: Sql,
  { tenantId, environment }: Scope,
  providerAppId: string,
  hashes: readonly Buffer[],
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'connections/subject-is-erased',
    text: `
      select 1 from subject_tombstone
      where tenant_id = $1 and environment = $2 and provider_app_id = $3 and subject_hash = any ($4::bytea[]) limit 1`,
    values: [tenantId, environment, providerAppId, pgArray('bytea', hashes)],
  });
  return (rowCount ?? 0) > 0;
}
