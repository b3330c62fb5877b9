import { Problem, type Scope } from '@tributary/domain';
import { type SealedSecret, loadLiveSecrets } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';

/** The newest live secret of a purpose, opened. @throws Problem `conflict` when none is live. */
export async function openSecret(
  { pool, keys }: Pick<ApiContext, 'pool' | 'keys'>,
  scope: Scope,
  providerAppId: string,
  purpose: SealedSecret['purpose'],
): Promise<string> {
  const secret = (await loadLiveSecrets(pool, scope, providerAppId)).find((one) => one.purpose === purpose);
  if (secret === undefined)
    throw new Problem('conflict', `The provider app has no live ${purpose}. Add one at /v1/provider-apps/${providerAppId}/secrets.`);
  return keys.open(secret.sealed, `provider_app_secret:${secret.id}`);
}
