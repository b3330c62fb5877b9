import { createHmac } from 'node:crypto';
import type { Signing } from '../forged-post.js';
import type { SignedPost } from '../webhook-sender.js';
import type { Collection } from './documents.js';
import type { EventName } from './polar-world.js';

/** What one webhook says. */
export interface WebhookFacts {
  readonly subjectId: string;
  readonly dataType: EventName;
  /** Id of an exercise, or the day; undefined for physical information. */
  readonly about: string | undefined;
  /** When it was sent, in whole seconds. */
  readonly timestamp: string;
}

/** Nightly Recharge is not told of. */
export const eventOf: Readonly<Partial<Record<Collection, EventName>>> = {
  exercises: 'EXERCISE',
  activities: 'ACTIVITY_SUMMARY',
  sleep: 'SLEEP',
  'continuous-heart-rate': 'CONTINUOUS_HEART_RATE',
  'physical-info': 'PHYSICAL_INFORMATION',
};

const pathOf: Readonly<Record<EventName, string>> = {
  EXERCISE: 'exercises/',
  ACTIVITY_SUMMARY: 'users/activities/',
  SLEEP: 'users/sleep/',
  CONTINUOUS_HEART_RATE: 'users/continuous-heart-rate/',
  PHYSICAL_INFORMATION: 'users/physical-info',
};

export function webhookBody({ subjectId, dataType, about, timestamp }: WebhookFacts): Buffer {
  const pointer = dataType === 'EXERCISE' ? { entity_id: about } : about === undefined ? {} : { date: about };
  const url = `https://www.polaraccesslink.com/v3/${pathOf[dataType]}${about ?? ''}`;
  return Buffer.from(JSON.stringify({ event: dataType, user_id: Number(subjectId), ...pointer, timestamp, url }));
}

/** Hex HMAC-SHA256 over the body, by the key of the webhook; no time is signed. */
export function signedPost(body: Buffer, key: string): SignedPost {
  const signature = createHmac('sha256', key).update(body).digest('hex');
  return { headers: { 'content-type': 'application/json', 'polar-webhook-signature': signature }, body };
}

export const signing: Signing = { sign: signedPost, signatureHeader: 'polar-webhook-signature', idField: 'user_id' };

/** @param now epoch milliseconds */
export function wholeSeconds(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** Comes before the key is known, and so without a signature. */
export function pingPost(now: number): SignedPost {
  const headers = { 'content-type': 'application/json', 'polar-webhook-event': 'PING' };
  return { headers, body: Buffer.from(JSON.stringify({ timestamp: wholeSeconds(now), event: 'PING' })) };
}
