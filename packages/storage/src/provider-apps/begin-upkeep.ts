import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Owes an app's subscriptions to its people, unless they are looked after already: the worker makes them, and goes on until it can. */
export async function beginUpkeep(sql: Sql, { tenantId, environment }: Scope, providerAppId: string): Promise<void> {
  await sql.query({
    name: 'provider-apps/begin-upkeep',
    text: `
      insert into subscription_upkeep (tenant_id, environment, provider_app_id, next_check_at)
      values ($1, $2, $3, clock_timestamp())
      on conflict do nothing`,
    values: [tenantId, environment, providerAppId],
  });
}
