import { fromBase64 } from './base64.js';
import { type SignatureVersion } from './signature.js';
import { VerificationError } from './verification-error.js';

/** Standard Webhooks, "Signature scheme": 24 to 64 random bytes, shown as `whsec_` and standard base64. */
const shortest = 24;
const longest = 64;

export interface Secret {
  readonly version: SignatureVersion;
  /** `v1`: the shared secret. `v1a`: the public key, 32 bytes; of {@link readSigningSecret} the private one, seed and public key, 64. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * What proves signatures: `whsec_…` (the prefix may be left out), or the public key of an endpoint, `whpk_…` (it may not: without
 * it a public key would pass for a shared secret, and whoever knows it could sign). There is no falling back to "then use the
 * text itself": that is how a truncated secret becomes a guessable key.
 * @throws VerificationError `malformed_secret`, which names the defect and never the secret
 */
export function readSecret(secret: unknown): Secret {
  const text = plainText(secret);
  if (text.startsWith('whsk_')) {
    throw malformed('is a private key, which signs: a receiver needs the public one, `whpk_`');
  }
  if (!text.startsWith('whpk_')) return { version: 'v1', bytes: sharedSecret(text) };
  const bytes = decoded(text.slice('whpk_'.length));
  if (bytes.length !== 32) throw malformed(`holds ${bytes.length} bytes; a public key (\`whpk_\`) has 32`);
  return { version: 'v1a', bytes };
}

/**
 * What makes signatures: `whsec_…`, or the private key `whsk_…`.
 * @throws VerificationError `malformed_secret`, as {@link readSecret}
 */
export function readSigningSecret(secret: unknown): Secret {
  const text = plainText(secret);
  if (text.startsWith('whpk_')) throw malformed('is a public key (`whpk_`), which proves signatures and makes none');
  if (!text.startsWith('whsk_')) return { version: 'v1', bytes: sharedSecret(text) };
  const bytes = decoded(text.slice('whsk_'.length));
  if (bytes.length !== 64) throw malformed(`holds ${bytes.length} bytes; a private key (\`whsk_\`) has 64: the seed and its public key`);
  return { version: 'v1a', bytes };
}

function plainText(secret: unknown): string {
  if (typeof secret !== 'string') throw malformed('is not text');
  if (secret.trim() !== secret) throw malformed('has a space or a line break around it: trim it where it is read');
  if (/^v1a?,/.test(secret)) throw malformed('begins with `v1,`: leave that out, it begins with `whsec_`');
  return secret;
}

function sharedSecret(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decoded(text.startsWith('whsec_') ? text.slice('whsec_'.length) : text);
  if (bytes.length < shortest || bytes.length > longest) {
    throw malformed(`holds ${bytes.length} bytes; ${shortest} to ${longest} are needed`);
  }
  return bytes;
}

function decoded(digits: string): Uint8Array<ArrayBuffer> {
  if (digits === '') throw malformed('is empty');
  if (/^[\w-]*[-_][\w-]*=*$/.test(digits)) throw malformed('is base64url (`-` and `_`): standard base64 is needed');
  const bytes = fromBase64(digits);
  if (!bytes) throw malformed('is not standard base64 with its padding: it was cut or changed');
  return bytes;
}

function malformed(defect: string): VerificationError {
  return new VerificationError('malformed_secret', `The signing secret ${defect}.`);
}
