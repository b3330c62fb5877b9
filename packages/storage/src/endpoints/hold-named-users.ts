import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * People by our ids or the customer's own, ours first. They are held (for key share, in their order) until the transaction ends, so that an
 * erasure sees what is written about them, or we see that it came first.
 * @returns our id for each name that somebody has.
 */
export async function holdNamedUsers(
  sql: Sql,
  { tenantId, environment }: Scope,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; externalId: string }>({
    name: 'endpoints/hold-named-users',
    text: `
      select id, external_id as "externalId" from app_user
      where tenant_id = $1 and environment = $2 and (id = any ($3::text[]) or external_id = any ($3::text[]))
      order by id
      for key share`,
    values: [tenantId, environment, pgArray('text', names)],
  });
  const byName = new Map(rows.map(({ id, externalId }) => [externalId, id]));
  for (const { id } of rows) byName.set(id, id);
  return byName;
}
