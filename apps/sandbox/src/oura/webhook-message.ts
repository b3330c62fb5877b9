import { createHmac } from 'node:crypto';
import type { Signing } from '../forged-post.js';
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

export const signing: Signing = { sign: signedPost, signatureHeader: 'x-oura-signature', idField: 'object_id' };

/** @param us microseconds since the epoch. */
export function microsecondTime(us: number): string {
  const seconds = new Date(Math.floor(us / 1_000_000) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(us % 1_000_000).padStart(6, '0')}+00:00`;
}
