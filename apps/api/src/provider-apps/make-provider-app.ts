import { randomBytes } from 'node:crypto';
import { newId } from '@tributary/service-shell';
import { type ShownProviderApp, insertProviderApp } from '@tributary/storage';
import type { z } from 'zod';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';
import type { newProviderApp } from './provider-app.js';

export interface MadeProviderApp {
  readonly row: ShownProviderApp;
  /** Shown this once. */
  readonly verificationToken: string;
}

/** An app with its secrets, sealed, and a webhook address that nobody can guess. What was wished for is checked before. */
export async function makeProviderApp(
  context: ApiContext,
  caller: Caller,
  wish: Pick<z.infer<typeof newProviderApp>, 'provider' | 'clientId' | 'sandbox' | 'acceptsCarried' | 'toleranceS'> & {
    readonly clientSecret: string | undefined;
    readonly webhookSecret: string | undefined;
  },
): Promise<MadeProviderApp> {
  const verificationToken = randomBytes(32).toString('base64url');
  const given = { client_secret: wish.clientSecret, webhook_secret: wish.webhookSecret, verification_token: verificationToken };
  const secrets = Object.entries(given).flatMap(([purpose, value]) => {
    if (value === undefined) return [];
    const id = newId('sec');
    return [{ id, purpose, sealed: context.keys.seal(value, `provider_app_secret:${id}`) }];
  });
  const row = await recordChange(context, caller, 'provider_app.create', async (client) => {
    const made = await insertProviderApp(client, {
      tenantId: caller.tenantId,
      environment: caller.environment,
      id: newId('app'),
      provider: wish.provider,
      appKey: randomBytes(18).toString('base64url'),
      clientId: wish.clientId,
      sandbox: wish.sandbox,
      toleranceMs: wish.toleranceS * 1000,
      acceptsCarried: wish.acceptsCarried,
      secrets,
    });
    return { target: made.id, result: made };
  });
  return { row, verificationToken };
}
