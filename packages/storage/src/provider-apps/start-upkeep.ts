import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** What is known when a check of an app's subscriptions begins. */
export interface UpkeepLease {
  /** Whoever records the outcome shows it; another one's means that the lease ended. */
  readonly leaseToken: string;
  /** Failures in a row so far. */
  readonly attempts: number;
  /** All was as it should be at some time before: what is missing now was lost. */
  readonly keptBefore: boolean;
  /** The key of the webhooks may be known to nobody. */
  readonly keyLost: boolean;
}

/**
 * Takes the upkeep of one app for `leaseMs`, because somebody asked for its subscriptions; from then on it is kept up.
 * @returns undefined while another check of it is under way.
 */
export async function startUpkeep(
  sql: Sql,
  { tenantId, environment }: Scope,
  providerAppId: string,
  leaseMs: number,
): Promise<UpkeepLease | undefined> {
  const { rows } = await sql.query<{ lease_token: string; attempts: number; kept_before: boolean; key_lost: boolean }>({
    name: 'provider-apps/start-upkeep',
    text: `
      insert into subscription_upkeep as k (tenant_id, environment, provider_app_id, next_check_at, lease_token)
      values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond', gen_random_uuid())
      on conflict (tenant_id, environment, provider_app_id) do update set
        next_check_at = excluded.next_check_at, lease_token = excluded.lease_token,
        -- A lease that ended without an outcome: whoever held it may have been killed with the new key in hand.
        key_lost = k.key_lost or k.lease_token is not null
      where k.lease_token is null or k.next_check_at <= clock_timestamp()
      returning lease_token, attempts, kept_at is not null as kept_before, key_lost`,
    values: [tenantId, environment, providerAppId, leaseMs],
  });
  const row = rows[0];
  return row && { leaseToken: row.lease_token, attempts: row.attempts, keptBefore: row.kept_before, keyLost: row.key_lost };
}
