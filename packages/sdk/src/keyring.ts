import { readSecret } from './secret.js';
import { type SignatureCrypto, type Verdict, type VerificationKey } from './signature.js';
import { VerificationError } from './verification-error.js';

/** What proves the signatures of an endpoint: one `whsec_…` or `whpk_…`, or several, e.g. while one replaces another. */
export type Secrets = string | readonly string[];

/**
 * The secrets, or where to ask for them at each request: a rotation then needs no restart, and one receiver can serve many endpoints.
 * @param endpoint the name that the request was received under
 */
export type SecretSource = Secrets | ((endpoint: string) => Secrets | Promise<Secrets>);

export type Keyring<V extends Verdict = Verdict> = (endpoint: string) => Promise<readonly VerificationKey<V>[]>;

/** Endpoints whose secrets are kept ready; of more, the one asked for longest ago is read again. */
const mostHeld = 1_000;

/** @throws VerificationError `no_secret`, `malformed_secret` */
export function readKeys<V extends Verdict>(secrets: Secrets, crypto: SignatureCrypto<V>): readonly VerificationKey<V>[] {
  return listOf(secrets).map((one) => {
    const { version, bytes } = readSecret(one);
    return { version, proves: version === 'v1' ? crypto.hmac(bytes) : crypto.ed25519(bytes) };
  });
}

/**
 * Reads each list of secrets once.
 * @throws VerificationError at once when the secrets are given as they are and are faulty; from the keyring otherwise
 */
export function createKeyring<V extends Verdict>(source: SecretSource, crypto: SignatureCrypto<V>): Keyring<V> {
  if (typeof source !== 'function') {
    const keys = readKeys(source, crypto);
    return async () => keys;
  }
  const held = new Map<string, { readonly list: string; readonly keys: readonly VerificationKey<V>[] }>();
  return async (endpoint) => {
    const secrets = await source(endpoint);
    const list = JSON.stringify(secrets);
    const before = held.get(endpoint);
    held.delete(endpoint);
    const ring = before?.list === list ? before : { list, keys: readKeys(secrets, crypto) };
    held.set(endpoint, ring);
    if (held.size > mostHeld) for (const [oldest] of held) if (held.delete(oldest)) break;
    return ring.keys;
  };
}

export function listOf(secrets: Secrets): readonly string[] {
  const list: readonly string[] = typeof secrets === 'string' ? (secrets === '' ? [] : [secrets]) : Array.isArray(secrets) ? secrets : [];
  if (list.length > 0) return list;
  throw new VerificationError('no_secret', 'No signing secret was given: read it from the endpoint.');
}
