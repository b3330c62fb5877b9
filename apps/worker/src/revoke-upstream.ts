import { type ClaimedRevocation, claimRevocations, endRevocation, loadLiveSecrets, postponeRevocation } from '@tributary/storage';
import { originsOf } from '@tributary/providers';
import { CallsRefused } from './budget-visit.js';
import type { WorkerContext } from './worker-context.js';

const SLICE = 10;
/** Longer than a call to a provider may take. */
const LEASE_MS = 30_000;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 6 * 3_600_000;

/** Ends grants at their providers that were ended here. The obligation outlives connection and person, and is never given up. */
export async function revokeUpstream(context: WorkerContext): Promise<void> {
  const claimed = await claimRevocations(context.pool, { limit: SLICE, leaseMs: LEASE_MS });
  await Promise.all(
    claimed.map(async (revocation) => {
      if (await revoked(context, revocation)) await endRevocation(context.pool, revocation, revocation.id);
      else await postponeRevocation(context.pool, revocation, revocation.id, delayMs(revocation.attempts));
    }),
  );
}

async function revoked(context: WorkerContext, revocation: ClaimedRevocation): Promise<boolean> {
  const { providers, sandboxUrl, keys, http, budget, log, clock } = context;
  const provider = providers.get(revocation.provider);
  const origins = provider && originsOf(provider, revocation.sandbox, sandboxUrl);
  if (provider === undefined || origins === undefined) return false;
  const { tenantId, environment, providerAppId, sandbox } = revocation;
  const account = { tenantId, environment, providerAppId, sandbox, provider, connectionId: undefined, calls: 'other' } as const;
  const calls = budget.open(http, account, 'live');
  try {
    const accessToken = keys.open(revocation.accessToken, `upstream_revocation:${revocation.id}`);
    const secret = (await loadLiveSecrets(context.pool, revocation, revocation.providerAppId)).find(
      ({ purpose }) => purpose === 'client_secret',
    );
    const clientSecret = secret === undefined ? '' : keys.open(secret.sealed, `provider_app_secret:${secret.id}`);
    const subjectId = keys.open(revocation.subjectId, `upstream_revocation:${revocation.id}:subject`);
    const client = { clientId: revocation.clientId, clientSecret };
    return await provider.oauth.revoke(calls, { origins, client, accessToken, subjectId, now: clock() });
  } catch (error) {
    if (error instanceof CallsRefused) return false;
    log.error({ what: 'revocation.failed', revocationId: revocation.id, err: error });
    return false;
  } finally {
    await calls.close();
  }
}

/** @param attempts those made, at least 1. */
export function delayMs(attempts: number): number {
  return Math.min(FIRST_DELAY_MS * 3 ** (attempts - 1), LONGEST_DELAY_MS);
}
