import { createHmac } from 'node:crypto';
import type { Signing } from '../forged-post.js';
import type { SignedPost } from '../webhook-sender.js';

export const aspects = ['create', 'update', 'delete'] as const;

export interface WebhookFacts {
  readonly subjectId: string;
  readonly dataType: 'activity' | 'athlete';
  readonly objectId: string;
  readonly aspect: (typeof aspects)[number];
  /** Values are texts, of switches too. */
  readonly updates: Readonly<Record<string, string>>;
  /** Whole seconds since the epoch. */
  readonly eventTimeS: number;
  readonly subscriptionId: string;
}

export function webhookBody(facts: WebhookFacts): Buffer {
  return Buffer.from(
    JSON.stringify({
      aspect_type: facts.aspect,
      event_time: facts.eventTimeS,
      object_id: Number(facts.objectId),
      object_type: facts.dataType,
      owner_id: Number(facts.subjectId),
      subscription_id: Number(facts.subscriptionId),
      updates: facts.updates,
    }),
  );
}

/** As Strava documents it: with nothing that proves it. */
export function plainPost(body: Buffer): SignedPost {
  return { headers: { 'content-type': 'application/json' }, body };
}

/** As Strava's example shows it: hex HMAC-SHA256 over seconds, a point and the body (providers.md §4.2). */
function signedPost(body: Buffer, secret: string, now: number): SignedPost {
  const t = Math.floor(now / 1000);
  const digest = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
  return { headers: { 'content-type': 'application/json', 'x-strava-signature': `t=${t},v1=${digest}` }, body };
}

export const signing: Signing = { sign: signedPost, signatureHeader: 'x-strava-signature', idField: 'object_id' };
