import type { Provider } from '@tributary/providers';
import type { ShownProviderApp } from '@tributary/storage';
import type { z } from 'zod';
import type { providerApp } from './provider-app.js';

type Shown = z.infer<typeof providerApp>;

const keepers = { app: 'tributary', person: 'person', console: 'operator' } as const;

/** @param provider undefined for sources that only send: they are set up at the source. */
export function showProviderApp(
  row: ShownProviderApp,
  provider: Pick<Provider, 'subscriptions'> | undefined,
  { publicApiUrl, webhookUrl }: { readonly publicApiUrl: string; readonly webhookUrl: string },
): Shown {
  return {
    id: row.id,
    provider: row.provider,
    appKey: row.appKey,
    clientId: row.clientId,
    sandbox: row.sandbox,
    toleranceS: row.toleranceMs / 1000,
    acceptsCarried: row.acceptsCarried,
    state: row.state,
    webhookUrl,
    redirectUri: `${publicApiUrl}/connect/callback`,
    handshakenAt: row.handshakenAt?.toISOString() ?? null,
    subscriptions: subscriptionsOf(row, keeperOf(row, provider?.subscriptions)),
    createdAt: row.createdAt.toISOString(),
  };
}

/** What takes another secret is the operator's own affair until they ask for it here. */
function keeperOf(row: ShownProviderApp, subscriptions: Provider['subscriptions'] | undefined): Shown['subscriptions']['keptBy'] {
  if (subscriptions?.needs !== undefined && row.nextCheckAt === null) return 'operator';
  return keepers[subscriptions?.per ?? 'console'];
}

function subscriptionsOf(row: ShownProviderApp, keptBy: Shown['subscriptions']['keptBy']): Shown['subscriptions'] {
  if (keptBy !== 'tributary') {
    return { keptBy, state: null, lastCheckedAt: null, lastKeptAt: null, lastError: null, expiresAt: null, nextCheckAt: null };
  }
  return {
    keptBy,
    state: row.checkedAt === null ? 'not_started' : row.lastError === null ? 'kept' : 'failing',
    lastCheckedAt: row.checkedAt?.toISOString() ?? null,
    lastKeptAt: row.keptAt?.toISOString() ?? null,
    lastError: row.lastError,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    nextCheckAt: row.nextCheckAt?.toISOString() ?? null,
  };
}
