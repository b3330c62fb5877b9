import type { EnvironmentName, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Running backfills that somebody should look at: those that have nothing left to do, and each of the others once in `againMs`. Whoever
 * gets one has it for that long.
 */
export async function claimBackfills(sql: Sql, limit: number, againMs: number): Promise<(Scope & { readonly id: string })[]> {
  const { rows } = await sql.query<{ tenant_id: string; environment: EnvironmentName; id: string }>({
    name: 'backfills/claim-backfills',
    text: `
      with due as materialized (
        select tenant_id, environment, id from backfill
        where check_at <= clock_timestamp()
        order by check_at limit $1
        for no key update skip locked
      )
      update backfill b set check_at = clock_timestamp() + $2 * (0.9 + 0.2 * random()) * interval '1 millisecond'
      from due d
      where b.tenant_id = d.tenant_id and b.environment = d.environment and b.id = d.id
      returning b.tenant_id, b.environment, b.id`,
    values: [limit, againMs],
  });
  return rows.map((row) => ({ tenantId: row.tenant_id, environment: row.environment, id: row.id }));
}
