import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface UpkeepOutcome {
  readonly leaseToken: string;
  /** Undefined: all is as it should be. */
  readonly error: string | undefined;
  readonly nextCheckInMs: number;
  /** Epoch milliseconds; the first end of those that lapse. What a failed check did not see stays as it was. */
  readonly expiresAt: number | undefined;
  /** The provider may hold a key that was shown to nobody. */
  readonly keyLost: boolean;
}

/** Records how a check ended, and when the next one is due. @returns whether the lease was still its own; else nothing was written. */
export async function endUpkeep(
  sql: Sql,
  { tenantId, environment }: Scope,
  providerAppId: string,
  outcome: UpkeepOutcome,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'provider-apps/end-upkeep',
    text: `
      update subscription_upkeep set lease_token = null, next_check_at = clock_timestamp() + $5 * interval '1 millisecond',
        checked_at = clock_timestamp(), last_error = $6,
        attempts = case when $6::text is null then 0 else attempts + 1 end,
        kept_at = case when $6::text is null then clock_timestamp() else kept_at end,
        expires_at = case when $6::text is null then $7::timestamptz else expires_at end,
        key_lost = $8
      where tenant_id = $1 and environment = $2 and provider_app_id = $3 and lease_token = $4`,
    values: [
      tenantId,
      environment,
      providerAppId,
      outcome.leaseToken,
      Math.round(outcome.nextCheckInMs),
      outcome.error ?? null,
      outcome.expiresAt === undefined ? null : new Date(outcome.expiresAt),
      outcome.keyLost,
    ],
  });
  return (rowCount ?? 0) > 0;
}
