import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Webhooks of an app did not come for a while: its connections are swept soon, spread over `withinMs`, and those that would be sooner
 * anyway as planned. @returns how many were brought forward.
 */
export async function hastenSweeps(sql: Sql, { tenantId, environment }: Scope, providerAppId: string, withinMs: number): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'provider-apps/hasten-sweeps',
    text: `
      update connection set next_sweep_at = clock_timestamp() + random() * $4 * interval '1 millisecond'
      where tenant_id = $1 and environment = $2 and provider_app_id = $3 and status = 'active'
        and next_sweep_at > clock_timestamp() + $4 * interval '1 millisecond'`,
    values: [tenantId, environment, providerAppId, withinMs],
  });
  return rowCount ?? 0;
}
