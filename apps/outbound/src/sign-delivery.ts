import { KeyObject, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';

export interface SignedParts {
  /** `webhook-id`: the event's id, the same for every attempt and endpoint. */
  readonly id: string;
  /** Seconds since the epoch of this attempt, not of the event. */
  readonly timestampS: number;
  readonly body: Uint8Array;
}

/** The bytes of a `whsec_` secret, or the private key of a `whsk_` one. */
export type SigningKey = Buffer | KeyObject;

/**
 * The `webhook-signature` header of Standard Webhooks over `id.timestamp.body`: `v1` (HMAC-SHA256) for each shared secret and `v1a`
 * (Ed25519) for each private key, so that a receiver which knows any of them accepts it while secrets rotate.
 */
export function signDelivery({ id, timestampS, body }: SignedParts, keys: readonly SigningKey[]): string {
  const head = `${id}.${timestampS}.`;
  let signed: Buffer | undefined;
  return keys
    .map((key) => {
      if (!(key instanceof KeyObject)) return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
      signed ??= Buffer.concat([Buffer.from(head), body]);
      return `v1a,${sign(null, signed, key).toString('base64')}`;
    })
    .join(' ');
}

/**
 * The keys of what is sealed for an endpoint: one secret, or a `whsec_` and a `whsk_` that come and go together, apart by a space.
 * @throws when a part is neither; the message does not show it.
 */
export function signingKeys(secrets: string): SigningKey[] {
  return secrets.split(' ').map((secret) => (secret.startsWith('whsk_') ? privateKey(secret) : signingKey(secret)));
}

/**
 * The key of a secret as customers hold it: the bytes behind `whsec_`.
 * @throws when it is no such secret; the message does not show it.
 */
export function signingKey(secret: string): Buffer {
  const key = bytesBehind('whsec_', secret);
  if (key === undefined) throw new Error('A signing secret is not whsec_ followed by standard base64');
  return key;
}

/** What stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const seedBytes = 32;

/** `whsk_` holds the seed, and behind it the public key that belongs to it. */
function privateKey(secret: string): KeyObject {
  const bytes = bytesBehind('whsk_', secret);
  const fault = new Error('A signing key is not whsk_ followed by the standard base64 of an Ed25519 seed and its public key');
  if (bytes?.length !== 2 * seedBytes) throw fault;
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, bytes.subarray(0, seedBytes)]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-seedBytes);
  if (!publicKey.equals(bytes.subarray(seedBytes))) throw fault;
  return key;
}

function bytesBehind(prefix: string, secret: string): Buffer | undefined {
  const base64 = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === base64 ? bytes : undefined;
}
