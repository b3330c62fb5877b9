import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface TenantRow {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly debounceMs: number;
  readonly maxWaitMs: number;
  readonly sweepIntervalS: number;
  readonly sweepDays: number;
  readonly backfillDays: number;
}

/** A tenant with the settings of one of its environments. */
export async function findTenant(sql: Sql, { tenantId, environment }: Scope): Promise<TenantRow | undefined> {
  const { rows } = await sql.query<TenantRow & Record<string, unknown>>({
    name: 'find-tenant',
    text: `
      select t.id, t.name, t.created_at as "createdAt", e.debounce_ms as "debounceMs", e.max_wait_ms as "maxWaitMs",
        e.sweep_interval_s as "sweepIntervalS", e.sweep_days as "sweepDays", e.backfill_days as "backfillDays"
      from environment e join tenant t on t.id = e.tenant_id
      where e.tenant_id = $1 and e.environment = $2`,
    values: [tenantId, environment],
  });
  return rows[0];
}
