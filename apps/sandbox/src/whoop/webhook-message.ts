import { createHmac } from 'node:crypto';
import type { Signing } from '../forged-post.js';
import type { SignedPost } from '../webhook-sender.js';

/** What is announced; cycles and the body are not. */
export const announced = ['sleep', 'recovery', 'workout'] as const;

export interface WebhookFacts {
  readonly subjectId: string;
  readonly dataType: (typeof announced)[number];
  /** Of a recovery, the id of its sleep. */
  readonly objectId: string;
  readonly verb: 'updated' | 'deleted';
  readonly traceId: string;
}

export function webhookBody({ subjectId, dataType, objectId, verb, traceId }: WebhookFacts): Buffer {
  return Buffer.from(JSON.stringify({ user_id: Number(subjectId), id: objectId, type: `${dataType}.${verb}`, trace_id: traceId }));
}

/** Base64 HMAC-SHA256 over milliseconds and body without anything between them (providers.md §6.2). */
export function signedPost(body: Buffer, secret: string, now: number): SignedPost {
  const timestamp = String(now);
  return {
    headers: {
      'content-type': 'application/json',
      'x-whoop-signature-timestamp': timestamp,
      'x-whoop-signature': createHmac('sha256', secret).update(timestamp).update(body).digest('base64'),
    },
    body,
  };
}

export const signing: Signing = { sign: signedPost, signatureHeader: 'x-whoop-signature', idField: 'id' };
