import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { StoredPriority } from './resolved-row.js';

/** The lists that may count for these users: the tenant's and their own, of every metric. */
export async function readPriorities(sql: Sql, { tenantId, environment }: Scope, userIds: readonly string[]): Promise<StoredPriority[]> {
  const { rows } = await sql.query<StoredPriority & Record<string, unknown>>({
    name: 'resolved/read-priorities',
    text: `
      select user_id as "userId", metric, entries, updated_at as "updatedAt" from source_priority
      where tenant_id = $1 and environment = $2 and (user_id is null or user_id = any($3::text[]))
      order by user_id nulls first, metric`,
    values: [tenantId, environment, pgArray('text', userIds)],
  });
  return rows;
}
