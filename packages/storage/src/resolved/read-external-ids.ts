import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** @returns the customer's own id of each of these users, by ours. */
export async function readExternalIds(
  sql: Sql,
  { tenantId, environment }: Scope,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql.query<{ id: string; externalId: string }>({
    name: 'resolved/read-external-ids',
    text: `select id, external_id as "externalId" from app_user where tenant_id = $1 and environment = $2 and id = any ($3::text[])`,
    values: [tenantId, environment, pgArray('text', userIds)],
  });
  return new Map(rows.map(({ id, externalId }) => [id, externalId]));
}
