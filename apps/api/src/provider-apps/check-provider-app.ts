import type { Scope } from '@tributary/domain';
import type { Provider } from '@tributary/providers';
import { type ShownProviderApp, loadLiveSecrets } from '@tributary/storage';
import type { z } from 'zod';
import type { ApiContext } from '../api-context.js';
import type { providerAppTest } from './provider-app.js';
import { requiredOrigins } from './required-origins.js';

type Check = z.infer<typeof providerAppTest>['checks'][number];

/** No provider has ever made this code: a provider that knows the client says that the code is worthless. */
const NO_CODE = 'tributary-credentials-check';
const NO_VERIFIER = 'tributary-credentials-check-0123456789-0123456789';

/** Whether an app can work: what it holds, whether the provider takes its credentials, and whether webhooks reach us. Changes nothing. */
export async function checkProviderApp(
  context: ApiContext,
  scope: Scope,
  app: ShownProviderApp,
  webhookUrl: string,
): Promise<z.infer<typeof providerAppTest>> {
  const provider = context.providers.get(app.provider);
  const live = await loadLiveSecrets(context.pool, scope, app.id);
  const secret = live.find(({ purpose }) => purpose === 'client_secret');
  const clientSecret = secret && context.keys.open(secret.sealed, `provider_app_secret:${secret.id}`);
  const checks = [
    enabled(app),
    provider === undefined
      ? {
          name: 'credentials' as const,
          result: 'skipped' as const,
          detail: 'This source only sends: there is nothing to log in to. Its webhooks are proved by the webhook secret.',
        }
      : await credentials(context, { provider, app, clientSecret }),
    handshake(app, provider, webhookUrl),
    subscriptions(app, provider),
  ];
  return { ok: checks.every(({ result }) => result !== 'failed'), checks };
}

function enabled({ state, id }: ShownProviderApp): Check {
  return state === 'disabled'
    ? {
        name: 'enabled',
        result: 'failed',
        detail: `The app is disabled: its webhooks are refused. PATCH /v1/provider-apps/${id} with "disabled": false.`,
      }
    : { name: 'enabled', result: 'ok', detail: 'The app is in use.' };
}

interface Credentialed {
  readonly provider: Provider;
  readonly app: ShownProviderApp;
  readonly clientSecret: string | undefined;
}

async function credentials(context: ApiContext, { provider, app, clientSecret }: Credentialed): Promise<Check> {
  const name = 'credentials';
  if (clientSecret === undefined) {
    return { name, result: 'failed', detail: `The app has no live client secret. Add one at POST /v1/provider-apps/${app.id}/secrets.` };
  }
  const outcome = await provider.oauth.exchange(context.http, {
    origins: requiredOrigins(provider, app.sandbox, context.sandboxUrl),
    client: { clientId: app.clientId, clientSecret },
    code: NO_CODE,
    redirectUri: `${context.publicApiUrl}/connect/callback`,
    ...(provider.oauth.pkce && { codeVerifier: NO_VERIFIER }),
    now: context.now(),
  });
  if (outcome.is !== 'transient') return { name, result: 'ok', detail: `${provider.name} answers and takes the client id and secret.` };
  const status = Number(/_http_(\d{3})$/.exec(outcome.code)?.[1] ?? 0);
  return status >= 400 && status < 500 && status !== 429
    ? {
        name,
        result: 'failed',
        detail: `${provider.name} answers but refuses (${outcome.code}). Compare the client id "${app.clientId}" and its secret with the console of the provider.`,
      }
    : {
        name,
        result: 'failed',
        detail: `${provider.name} gave no usable answer (${outcome.code}). Try again; if it stays so, look at its status page.`,
      };
}

function handshake({ handshakenAt, state }: ShownProviderApp, provider: Provider | undefined, webhookUrl: string): Check {
  const name = 'handshake';
  if (handshakenAt !== null)
    return { name, result: 'ok', detail: `The provider proved the webhook address at ${handshakenAt.toISOString()}.` };
  const todo =
    provider?.subscriptions.per === 'app'
      ? 'Ask for the subscriptions (POST …/subscriptions), and see that the address can be reached from the Internet.'
      : 'Not every provider does this; if yours does, register the address there, and see that it can be reached from the Internet.';
  return { name, result: state === 'disabled' ? 'skipped' : 'pending', detail: `Nobody has proved ${webhookUrl} yet. ${todo}` };
}

function subscriptions({ checkedAt, lastError, keptAt }: ShownProviderApp, provider: Provider | undefined): Check {
  const name = 'subscriptions';
  if (provider?.subscriptions.per !== 'app')
    return { name, result: 'skipped', detail: 'The webhooks of this provider are not asked for with the credentials of the app.' };
  if (checkedAt === null)
    return { name, result: 'pending', detail: 'They were not asked for yet: POST …/subscriptions, or connect somebody.' };
  return lastError === null
    ? { name, result: 'ok', detail: `All were there at ${(keptAt ?? checkedAt).toISOString()}.` }
    : { name, result: 'failed', detail: `The last check failed: ${lastError}. It is tried again by itself.` };
}
