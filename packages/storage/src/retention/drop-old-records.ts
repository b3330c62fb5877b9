import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

const tables = ['daily_rollup', 'session_record', 'measurement_record', 'series_day', 'resolved_record'] as const;

/**
 * Drops these people's records of days that are past their days; tombstones too. Nobody is told: it is the customer's own setting.
 * @returns how many rows went.
 */
export async function dropOldRecords(
  sql: Sql,
  { tenantId, environment }: Scope,
  { userIds, days }: { readonly userIds: readonly string[]; readonly days: number },
): Promise<number> {
  let dropped = 0;
  for (const table of tables) {
    const { rowCount } = await sql.query({
      name: `retention/drop-old-${table}`,
      text: `
        delete from ${table}
        where tenant_id = $1 and environment = $2 and user_id = any ($3::text[]) and local_date < current_date - $4::integer`,
      values: [tenantId, environment, pgArray('text', userIds), days],
    });
    dropped += rowCount ?? 0;
  }
  return dropped;
}
