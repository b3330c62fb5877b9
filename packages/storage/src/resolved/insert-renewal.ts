import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** A list of preferred sources changed: the last `days` days of its metric are to be judged anew. */
export async function insertRenewal(
  sql: Sql,
  { tenantId, environment }: Scope,
  {
    id,
    userId,
    metric,
    days,
  }: { readonly id: string; readonly userId: string | undefined; readonly metric: string; readonly days: number },
): Promise<void> {
  await sql.query({
    name: 'resolved/insert-renewal',
    text: `
      insert into resolved_renewal (tenant_id, environment, id, user_id, metric, from_date)
      values ($1, $2, $3, $4, $5, (clock_timestamp() at time zone 'UTC')::date - $6::int)`,
    values: [tenantId, environment, id, userId ?? null, metric, days],
  });
}
