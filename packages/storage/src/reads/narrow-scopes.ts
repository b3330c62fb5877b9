import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * The answer to a refresh names these scopes. What it leaves out of those that we knew is gone; it never adds one, since an answer without
 * scopes counts as one with all. One that shares none with ours is in another language (Garmin's) and says nothing.
 */
export async function narrowScopes(
  sql: Sql,
  { tenantId, environment }: Scope,
  connectionId: string,
  scopes: readonly string[],
): Promise<void> {
  await sql.query({
    name: 'reads/narrow-scopes',
    text: `
      update connection set permissions_due = true, updated_at = now(),
        scopes = array(select s from unnest(scopes) with ordinality as held (s, at) where s = any($4::text[]) order by at)
      where tenant_id = $1 and environment = $2 and id = $3 and scopes && $4::text[] and not scopes <@ $4::text[]`,
    values: [tenantId, environment, connectionId, pgArray('text', scopes)],
  });
}
