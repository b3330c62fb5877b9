import type { FetchOutcome } from '@tributary/domain';
import { type FetchContext, type Provider, ProviderUnreachable } from '@tributary/providers';
import { type ClaimedWindow, setScopes } from '@tributary/storage';
import { keepStanding } from './whereabouts.js';
import type { WorkerContext } from './worker-context.js';

/**
 * Somebody said that the grant ended or changed, or it is new, or time for a sweep. The provider is asked for the smallest thing there
 * is; its answer is believed. Where it tells what the person permits, that is kept, and the rows show it. Where webhooks are
 * asked for person by person, those that are missing are asked for.
 */
export async function checkGrant(
  context: Pick<WorkerContext, 'pool' | 'clock' | 'log' | 'metrics' | 'publicIngestUrl'>,
  window: ClaimedWindow,
  provider: Provider,
  { http, origins, accessToken }: Pick<FetchContext, 'http' | 'origins' | 'accessToken'>,
): Promise<FetchOutcome> {
  const callbackUrl = `${context.publicIngestUrl}/in/${provider.id}/${window.appKey}`;
  try {
    await provider.oauth.subject(http, { origins, accessToken });
    const scopes = await provider.oauth.permissions?.(http, { origins, accessToken });
    const changed = scopes !== undefined && (await setScopes(context.pool, window, window.connectionId, ofUse(provider, scopes)));
    if (changed) await keepStanding(context, window, provider);
    await ensureForPerson(context, provider, { http, origins, accessToken, callbackUrl });
    return { is: 'records', complete: true, records: [] };
  } catch (error) {
    if (!(error instanceof ProviderUnreachable)) throw error;
    return error.code === 'http_401' ? { is: 'unauthorised' } : { is: 'transient', code: error.code };
  }
}

async function ensureForPerson(
  { metrics }: Pick<WorkerContext, 'metrics'>,
  { id, subscriptions }: Provider,
  { http, ...input }: Pick<FetchContext, 'http' | 'origins' | 'accessToken'> & { readonly callbackUrl: string },
): Promise<void> {
  if (subscriptions.ensureForPerson === undefined) return;
  let outcome = 'failed';
  try {
    const { created, renewed } = await subscriptions.ensureForPerson(http, input);
    outcome = created + renewed > 0 ? 'mended' : 'kept';
  } finally {
    metrics.subscriptionChecks.inc({ provider: id, outcome });
  }
}

/** Those that are left are of no use where none of them lets us read anything: then nothing is permitted, and not all. */
function ofUse({ collections }: Provider, scopes: readonly string[]): readonly string[] {
  return Object.values(collections).some(({ scope }) => scopes.includes(scope) || scopes.includes(`${scope}_all`)) ? scopes : [];
}
