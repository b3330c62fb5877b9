import { randomBytes } from 'node:crypto';
import { type KeyRing, newId } from '@tributary/service-shell';

/** A signing secret in the form of Standard Webhooks; `sealed` is what is stored. */
export function makeEndpointSecret(keys: KeyRing): { id: string; secret: string; sealed: Buffer } {
  const id = newId('sec');
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return { id, secret, sealed: keys.seal(secret, `endpoint_secret:${id}`) };
}
