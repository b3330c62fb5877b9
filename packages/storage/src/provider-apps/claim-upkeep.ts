import type { EnvironmentName, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { UpkeepLease } from './start-upkeep.js';

/** An app whose subscriptions are to be looked at now, and is ours until the lease ends. */
export interface ClaimedUpkeep extends Scope, UpkeepLease {
  readonly providerAppId: string;
  readonly provider: string;
  readonly appKey: string;
  readonly clientId: string;
  readonly sandbox: boolean;
  /** Epoch milliseconds: the first end of its subscriptions, as far as the last check saw. */
  readonly expiresAt: number | undefined;
}

export interface UpkeepClaim {
  /** Ids of the providers whose subscriptions are the app's. */
  readonly providers: readonly string[];
  readonly limit: number;
  readonly leaseMs: number;
}

/** Takes due checks of apps that are not disabled. Who is killed leaves them due again when the lease ends. */
export async function claimUpkeep(sql: Sql, { providers, limit, leaseMs }: UpkeepClaim): Promise<ClaimedUpkeep[]> {
  const { rows } = await sql.query<Row>({ name: 'provider-apps/claim-upkeep', text, values: [pgArray('text', providers), limit, leaseMs] });
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    environment: row.environment,
    providerAppId: row.provider_app_id,
    provider: row.provider,
    appKey: row.app_key,
    clientId: row.client_id,
    sandbox: row.sandbox,
    leaseToken: row.lease_token,
    attempts: row.attempts,
    keptBefore: row.kept_before,
    keyLost: row.key_lost,
    expiresAt: row.expires_at?.getTime(),
  }));
}

interface Row {
  tenant_id: string;
  environment: EnvironmentName;
  provider_app_id: string;
  provider: string;
  app_key: string;
  client_id: string;
  sandbox: boolean;
  lease_token: string;
  attempts: number;
  kept_before: boolean;
  key_lost: boolean;
  expires_at: Date | null;
}

const text = `
  with due as materialized (
    select k.tenant_id, k.environment, k.provider_app_id
    from subscription_upkeep k
    join provider_app a on a.tenant_id = k.tenant_id and a.environment = k.environment and a.id = k.provider_app_id
    where k.next_check_at <= clock_timestamp() and a.state <> 'disabled' and a.provider = any($1::text[])
    order by k.next_check_at
    limit $2
    for update of k skip locked
  )
  update subscription_upkeep k set next_check_at = clock_timestamp() + $3 * interval '1 millisecond', lease_token = gen_random_uuid(),
    key_lost = k.key_lost or k.lease_token is not null
  from due d
  join provider_app a on a.tenant_id = d.tenant_id and a.environment = d.environment and a.id = d.provider_app_id
  where k.tenant_id = d.tenant_id and k.environment = d.environment and k.provider_app_id = d.provider_app_id
  returning k.tenant_id, k.environment, k.provider_app_id, a.provider, a.app_key, a.client_id, a.sandbox, k.lease_token, k.attempts,
    k.kept_at is not null as kept_before, k.key_lost, k.expires_at`;
