import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type KeyRing, newId } from '@tributary/service-shell';

export interface MadeEndpointSecret {
  readonly id: string;
  /** `whsec_…`: shown once. */
  readonly secret: string;
  /** `whpk_…`, which may be shown to anybody; null: v1 alone signs. */
  readonly publicKey: string | null;
  /** What is stored: the secret and, behind a space, the private key, which leaves us in no other form. */
  readonly sealed: Buffer;
}

/** A signing secret in the form of Standard Webhooks, with an Ed25519 key beside it where one is wanted. */
export function makeEndpointSecret(keys: KeyRing, { asymmetric }: { readonly asymmetric: boolean }): MadeEndpointSecret {
  const id = newId('sec');
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const pair = asymmetric ? makeKeyPair() : undefined;
  const held = pair === undefined ? secret : `${secret} ${pair.privateKey}`;
  return { id, secret, publicKey: pair?.publicKey ?? null, sealed: keys.seal(held, `endpoint_secret:${id}`) };
}

/** `whsk_` holds seed and public key, 64 bytes; `whpk_` the public key alone. */
function makeKeyPair(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  return { privateKey: `whsk_${Buffer.concat([seed, point]).toString('base64')}`, publicKey: `whpk_${point.toString('base64')}` };
}
