import { parseJson } from '../parse-json.js';

/** The probe has 23 bytes. */
const LONGEST_PROBE = 1024;

/** `{"type":"verification"}`, alone. Inside a list, or beside `data`, it is no probe. */
export function isProbe(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && saysVerification(body) && !('data' in body);
}

export function saysVerification(item: object): boolean {
  return 'type' in item && item.type === 'verification';
}

/** @param body bytes whose shared secret is proved already: a probe has no signature. */
export function holdsProbe(body: Uint8Array): boolean {
  if (body.length > LONGEST_PROBE) return false;
  try {
    return isProbe(parseJson(body));
  } catch {
    return false;
  }
}
