import { fromBase64 } from './base64.js';
import { VerificationError } from './verification-error.js';

/** Standard Webhooks, "Signature scheme": 24 to 64 random bytes, shown as `whsec_` and standard base64. */
const shortest = 24;
const longest = 64;

/**
 * The key bytes of a secret. The `whsec_` in front may be left out. There is no falling back to "then use the text itself":
 * that is how a truncated secret becomes a guessable key.
 * @throws VerificationError `malformed_secret`, which names the defect and never the secret
 */
export function readSecret(secret: unknown): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string') throw malformed('is not text');
  if (secret.trim() !== secret) throw malformed('has a space or a line break around it: trim it where it is read');
  if (secret.startsWith('v1,')) throw malformed('begins with `v1,`: leave that out, it begins with `whsec_`');
  if (/^wh[sp]k_/.test(secret)) throw malformed('is an ed25519 key; this version verifies `v1` (HMAC) signatures, with a `whsec_` secret');
  const digits = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  if (digits === '') throw malformed('is empty');
  if (/^[\w-]*[-_][\w-]*=*$/.test(digits)) throw malformed('is base64url (`-` and `_`): standard base64 is needed');
  const bytes = fromBase64(digits);
  if (!bytes) throw malformed('is not standard base64 with its padding: it was cut, or changed, on the way');
  if (bytes.length < shortest || bytes.length > longest) {
    throw malformed(`holds ${bytes.length} bytes; ${shortest} to ${longest} are needed`);
  }
  return bytes;
}

function malformed(defect: string): VerificationError {
  return new VerificationError('malformed_secret', `The signing secret ${defect}.`);
}
