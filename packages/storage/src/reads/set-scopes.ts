import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * The provider says what it lets us read of a person now. Where that is not what we knew, the rows are owed to show it.
 * @returns whether it was news.
 */
export async function setScopes(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  scopes: readonly string[],
): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'reads/set-scopes',
    text: `
      update connection set scopes = $4::text[], permissions_due = true, updated_at = now()
      where tenant_id = $1 and environment = $2 and id = $3 and not (scopes <@ $4::text[] and scopes @> $4::text[])
      returning 1`,
    values: [tenantId, environment, connectionId, pgArray('text', [...new Set(scopes)])],
  });
  return rows.length > 0;
}
