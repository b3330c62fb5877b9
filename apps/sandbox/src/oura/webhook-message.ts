import { createHmac } from 'node:crypto';
import type { SignedPost } from '../webhook-sender.js';
import type { DataType, EventType } from './scopes.js';

/** What one webhook says. */
export interface WebhookFacts {
  readonly eventType: EventType;
  readonly dataType: DataType;
  readonly objectId: string;
  /** As it stands in the body, e.g. `2026-09-15T06:05:00.431000+00:00`. */
  readonly eventTime: string;
  readonly subjectId: string;
}

/** How a message can be wrong. `truncated` has a signature that is too short; `not-json` and `oversized` are rightly signed. */
export const forgeries = ['signature', 'body', 'none', 'stale', 'future', 'truncated', 'not-json', 'oversized'] as const;
export type Forgery = (typeof forgeries)[number];

/** Far outside every tolerance that a receiver would choose. */
const FAR_MS = 3_600_000;
const OVERSIZED_BYTES = 3 * 1024 * 1024;

/** The fields in Oura's order. */
export function webhookBody({ eventType, dataType, objectId, eventTime, subjectId }: WebhookFacts): Buffer {
  return Buffer.from(
    JSON.stringify({ event_type: eventType, data_type: dataType, object_id: objectId, event_time: eventTime, user_id: subjectId }),
  );
}

/** Upper-case hex HMAC-SHA256 over timestamp and body without anything between them (providers.md §5.2). */
export function ouraSignature(secret: string, timestamp: string, body: Buffer): string {
  return createHmac('sha256', secret).update(timestamp).update(body).digest('hex').toUpperCase();
}

/** A post as Oura sends it. @param now epoch milliseconds; the header holds whole seconds. */
export function signedPost(body: Buffer, secret: string, now: number): SignedPost {
  const timestamp = String(Math.floor(now / 1000));
  return {
    headers: {
      'content-type': 'application/json',
      'x-oura-timestamp': timestamp,
      'x-oura-signature': ouraSignature(secret, timestamp, body),
    },
    body,
  };
}

/** A post that a receiver must not act on. @param otherSecret one that the app never had. */
export function forgedPost(forgery: Forgery, body: Buffer, keys: { secret: string; otherSecret: string }, now: number): SignedPost {
  const { secret, otherSecret } = keys;
  switch (forgery) {
    case 'signature':
      return signedPost(body, otherSecret, now);
    case 'body':
      return { ...signedPost(body, secret, now), body: lastDigitChanged(body) };
    case 'none':
      return { headers: { 'content-type': 'application/json' }, body };
    case 'stale':
      return signedPost(body, secret, now - FAR_MS);
    case 'future':
      return signedPost(body, secret, now + FAR_MS);
    case 'truncated': {
      const { headers } = signedPost(body, secret, now);
      return { headers: { ...headers, 'x-oura-signature': headers['x-oura-signature']?.slice(0, 32) ?? '' }, body };
    }
    case 'not-json':
      return signedPost(body.subarray(0, Math.floor(body.length / 2)), secret, now);
    case 'oversized':
      return signedPost(Buffer.concat([body, Buffer.alloc(OVERSIZED_BYTES, ' ')]), secret, now);
  }
}

/** @param us microseconds since the epoch. */
export function microsecondTime(us: number): string {
  const seconds = new Date(Math.floor(us / 1_000_000) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(us % 1_000_000).padStart(6, '0')}+00:00`;
}

/** Still JSON of the same length and shape, but not what was signed: one character of the object id is another. */
function lastDigitChanged(body: Buffer): Buffer {
  const text = body.toString();
  return Buffer.from(
    text.replace(
      /("object_id":".*?)(.)(",")/,
      (_all, before: string, last: string, after: string) => `${before}${last === '0' ? '1' : '0'}${after}`,
    ),
  );
}
