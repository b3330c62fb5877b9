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
    subscriptions: subscriptionsOf(row, keepers[provider?.subscriptions.per ?? 'console']),
    createdAt: row.createdAt.toISOString(),
  };
}

function subscriptionsOf(row: ShownProviderApp, keptBy: (typeof keepers)[keyof typeof keepers]): Shown['subscriptions'] {
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
