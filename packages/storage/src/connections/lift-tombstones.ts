import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** The person came back by consenting anew: the only way past a tombstone. @param hashes under every key of the ring. */
export async function liftTombstones(
  sql: Sql,
  { tenantId, environment }: Scope,
  providerAppId: string,
  hashes: readonly Buffer[],
): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'lift-tombstones',
    text: `
      delete from subject_tombstone
      where tenant_id = $1 and environment = $2 and provider_app_id = $3 and subject_hash = any ($4::bytea[])`,
    values: [tenantId, environment, providerAppId, pgArray('bytea', hashes)],
  });
  return rowCount ?? 0;
}
