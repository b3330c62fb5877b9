import type { Keys } from './ordered-sends.js';
import type { SignedPost } from './webhook-sender.js';

/** How a message can be wrong. `truncated` has a signature that is too short; `not-json` and `oversized` are rightly signed. */
export const forgeries = ['signature', 'body', 'none', 'stale', 'future', 'truncated', 'not-json', 'oversized'] as const;
export type Forgery = (typeof forgeries)[number];

/** Far outside every tolerance that a receiver would choose. */
const FAR_MS = 3_600_000;
const OVERSIZED_BYTES = 3 * 1024 * 1024;

export interface Signing {
  /** @param now epoch milliseconds */
  readonly sign: (body: Buffer, secret: string, now: number) => SignedPost;
  readonly signatureHeader: string;
  /** The field of the body that names the object. */
  readonly idField: string;
}

/** A post that a receiver must not act on. */
export function forgedPost(
  forgery: Forgery,
  body: Buffer,
  { sign, signatureHeader, idField }: Signing,
  keys: Keys,
  now: number,
): SignedPost {
  const { secret, otherSecret } = keys;
  switch (forgery) {
    case 'signature':
      return sign(body, otherSecret, now);
    case 'body':
      return { ...sign(body, secret, now), body: otherObject(body, idField) };
    case 'none':
      return { headers: { 'content-type': 'application/json' }, body };
    case 'stale':
      return sign(body, secret, now - FAR_MS);
    case 'future':
      return sign(body, secret, now + FAR_MS);
    case 'truncated': {
      const { headers } = sign(body, secret, now);
      const signature = headers[signatureHeader] ?? '';
      return { headers: { ...headers, [signatureHeader]: signature.slice(0, Math.floor(signature.length / 2)) }, body };
    }
    case 'not-json':
      return sign(body.subarray(0, Math.floor(body.length / 2)), secret, now);
    case 'oversized':
      return sign(Buffer.concat([body, Buffer.alloc(OVERSIZED_BYTES, ' ')]), secret, now);
  }
}

/** Still JSON of the same length and shape, but not what was signed: one character of the object's id is another. */
function otherObject(body: Buffer, idField: string): Buffer {
  const lastOfId = new RegExp(`("${idField}":"?[^",}]*?)([^",}])("?[,}])`);
  return Buffer.from(
    body
      .toString()
      .replace(lastOfId, (_all, before: string, last: string, after: string) => `${before}${last === '0' ? '1' : '0'}${after}`),
  );
}
