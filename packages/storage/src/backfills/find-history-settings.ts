import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface HistorySettings {
  /** Days before today that a first consent reads by itself. */
  readonly backfillDays: number;
  /** Days that a sweep reads, today among them. */
  readonly sweepDays: number;
}

export async function findHistorySettings(sql: Sql, { tenantId, environment }: Scope): Promise<HistorySettings> {
  const { rows } = await sql.query<HistorySettings & Record<string, unknown>>({
    name: 'backfills/find-history-settings',
    text: `
      select backfill_days as "backfillDays", sweep_days as "sweepDays" from environment where tenant_id = $1 and environment = $2`,
    values: [tenantId, environment],
  });
  if (!rows[0]) throw new Error('The environment is not there');
  return rows[0];
}
