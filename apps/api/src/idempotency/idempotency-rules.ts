import { createHash } from 'node:crypto';

/** Visible ASCII, as the header's draft has it; quotes are part of the key. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Of what was understood: another spacing of the same JSON is the same request. */
export function hashRequest(method: string, url: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${method}\0${url}\0${body === undefined ? '' : JSON.stringify(body)}`)
    .digest();
}

/** A failure of ours may be gone at the next try, and so may what only asks to wait. */
export function isWorthKeeping(status: number): boolean {
  return status < 500 && ![408, 425, 429].includes(status);
}

/** Of this one connection, or counted anew for each request. */
const OWN_TO_A_REPLY = /^(date|connection|keep-alive|transfer-encoding|content-length|x-request-id|retry-after|ratelimit(-\w+)?)$/;

export function passedOnHeaders(
  headers: Readonly<Record<string, number | string | string[] | undefined>>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OWN_TO_A_REPLY.test(name) ? [] : [[name, typeof value === 'number' ? String(value) : value]],
    ),
  );
}

/** Our own ids that stand in a text, each once. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(/\b[a-z]{2,3}_[0-9A-HJKMNP-TV-Z]{26}\b/g) ?? [])].sort();
}
