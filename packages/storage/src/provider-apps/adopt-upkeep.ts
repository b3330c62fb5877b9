import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Begins the upkeep of apps whose address a provider has proved though nobody asked us for subscriptions: they were registered by hand, and
 * lapse like any other. Spread over an hour. @returns how many.
 */
export async function adoptUpkeep(sql: Sql, providers: readonly string[]): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'provider-apps/adopt-upkeep',
    text: `
      insert into subscription_upkeep (tenant_id, environment, provider_app_id, next_check_at)
      select a.tenant_id, a.environment, a.id, clock_timestamp() + random() * interval '1 hour'
      from provider_app a
      where a.handshaken_at is not null and a.state <> 'disabled' and a.provider = any($1::text[])
        and not exists (
          select from subscription_upkeep k
          where k.tenant_id = a.tenant_id and k.environment = a.environment and k.provider_app_id = a.id)
      on conflict do nothing`,
    values: [pgArray('text', providers)],
  });
  return rowCount ?? 0;
}
