import { readSecret } from './secret.js';
import { type SigningKey, importSigningKey } from './signature.js';
import { VerificationError } from './verification-error.js';

/** One secret, or several while one replaces another. */
export type Secrets = string | readonly string[];

/** The secrets, or where to ask for them at each request, so that a rotation needs no restart. */
export type SecretSource = Secrets | (() => Secrets | Promise<Secrets>);

export type Keyring = () => Promise<readonly SigningKey[]>;

/** @throws VerificationError `no_secret`, `malformed_secret` */
export async function importSecrets(secrets: Secrets): Promise<readonly SigningKey[]> {
  return Promise.all(readSecrets(secrets).map(importSigningKey));
}

/**
 * Imports each list of secrets once.
 * @throws VerificationError at once when the secrets are given as they are and are faulty; from the keyring otherwise
 */
export function createKeyring(source: SecretSource): Keyring {
  if (typeof source !== 'function') {
    const bytes = readSecrets(source);
    let keys: Promise<readonly SigningKey[]> | undefined;
    return () => (keys ??= Promise.all(bytes.map(importSigningKey)));
  }
  let held: { readonly list: string; readonly keys: readonly SigningKey[] } | undefined;
  return async () => {
    const secrets = await source();
    const list = JSON.stringify(secrets);
    if (held?.list === list) return held.keys;
    const keys = await importSecrets(secrets);
    held = { list, keys };
    return keys;
  };
}

function readSecrets(secrets: Secrets): Uint8Array<ArrayBuffer>[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : secrets === undefined || secrets === '' ? [] : [secrets];
  if (list.length === 0) {
    throw new VerificationError(
      'no_secret',
      'No signing secret was given. Read it from the endpoint (it begins with `whsec_`) and pass it on.',
    );
  }
  return list.map(readSecret);
}
