import { hash, timingSafeEqual } from 'node:crypto';

/** The only comparison of secrets. Bytes of another length are different; they never throw. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** For secrets that are text, e.g. a verification token. Digests are compared, so the time tells nothing of the length either. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
