import type { PriorityList, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { StoredPriority } from './resolved-row.js';

/** Puts a list in the place of the one that was there. */
export async function savePriority(
  sql: Sql,
  { tenantId, environment }: Scope,
  { userId, metric, entries }: { readonly userId: string | undefined; readonly metric: string; readonly entries: PriorityList },
): Promise<StoredPriority> {
  const { rows } = await sql.query<StoredPriority & Record<string, unknown>>({
    name: 'resolved/save-priority',
    text: `
      insert into source_priority (tenant_id, environment, user_id, metric, entries) values ($1, $2, $3, $4, $5)
      on conflict (tenant_id, environment, user_id, metric) do update set entries = excluded.entries, updated_at = clock_timestamp()
      returning user_id as "userId", metric, entries, updated_at as "updatedAt"`,
    values: [tenantId, environment, userId ?? null, metric, JSON.stringify(entries)],
  });
  return rows[0] as StoredPriority;
}
