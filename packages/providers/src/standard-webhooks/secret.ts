import { bytesOfBase64 } from '../signature/hmac.js';

/**
 * The key that a secret encodes: `whsec_` and padded base64, or the base64 alone. Undefined for any other form, since lenient decoding
 * would make another key of it (`v1,whsec_…`, a line break at its end).
 */
export function keyOfSecret(secret: string): Buffer | undefined {
  const key = bytesOfBase64(secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret);
  return key === undefined || key.length === 0 ? undefined : key;
}

/** What is wrong with a secret that should be of this form, for who typed it in; undefined when nothing is. Never repeats the secret. */
export function faultOfSecret(secret: string): string | undefined {
  return keyOfSecret(secret) === undefined
    ? 'is not `whsec_` followed by base64 with its padding: copy it once more, whole, without spaces, quotes, a line break or `v1,`'
    : undefined;
}
