import { originsOf } from '@tributary/providers';
import type { AppRef } from '@tributary/handoffs';
import { findProviderApp, loadLiveSecrets, subjectIsHeld } from '@tributary/storage';
import type { WorkerContext } from './worker-context.js';

/**
 * A provider sent something of a person whom this app does not hold. Where each person has a subscription of their own, those left over
 * are ended; where the subscription is the app's, the grant's end was owed at erasure and there is no more to do than to count it.
 */
export async function endLeftover(context: WorkerContext, { providerAppId, ...scope }: AppRef): Promise<void> {
  const { pool, providers, sandboxUrl, keys, http, budget, metrics } = context;
  const app = await findProviderApp(pool, scope, providerAppId);
  if (app === undefined || app.state === 'disabled') return;
  metrics.leftovers.inc({ provider: app.provider });
  const provider = providers.get(app.provider);
  const origins = provider && originsOf(provider, app.sandbox, sandboxUrl);
  if (provider?.endLeftover === undefined || origins === undefined) return;
  const secret = (await loadLiveSecrets(pool, scope, providerAppId)).find(({ purpose }) => purpose === 'client_secret');
  if (secret === undefined) return;
  const client = { clientId: app.clientId, clientSecret: keys.open(secret.sealed, `provider_app_secret:${secret.id}`) };
  const account = { ...scope, providerAppId, sandbox: app.sandbox, provider, connectionId: undefined, calls: 'other' } as const;
  const calls = budget.open(http, account, 'live');
  const { ended } = await provider
    .endLeftover(calls, {
      origins,
      client,
      isHeld: (subjectId) => subjectIsHeld(pool, scope, providerAppId, subjectId),
    })
    .finally(() => calls.close());
  metrics.leftoversEnded.inc({ provider: app.provider }, ended);
}
