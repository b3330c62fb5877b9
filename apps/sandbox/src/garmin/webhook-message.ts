import type { SignedPost } from '../webhook-sender.js';
import type { Summary } from './garmin-world.js';

/** How a message can be wrong: another app's id, an address that is not Garmin's, half a body. Without an id it is still taken. */
export const forgeries = ['client-id', 'foreign-address', 'not-json'] as const;
export type Forgery = (typeof forgeries)[number];

export interface WebhookFacts {
  readonly subjectId: string;
  /** A summary type, or `deregistrations`. */
  readonly dataType: string;
  /** Seconds since 1970 of the upload. */
  readonly atS: number;
  /** Told whole by a push. */
  readonly pushed: Summary | undefined;
}

/** @param key of a ping, to what it tells of. */
export function webhookBody({ subjectId, dataType, atS, pushed }: WebhookFacts, key: string, origin = 'https://apis.garmin.com'): Buffer {
  const times = `uploadStartTimeInSeconds=${atS}&uploadEndTimeInSeconds=${atS + 1}`;
  const callbackURL = `${origin}/wellness-api/rest/${dataType}?${times}&token=${encodeURIComponent(key)}`;
  const item = dataType === 'deregistrations' ? { userId: subjectId } : (pushed ?? { userId: subjectId, callbackURL });
  return Buffer.from(JSON.stringify({ [dataType]: [item] }));
}

/** Nothing is signed; the header names the app that is meant. */
export function namedPost(body: Buffer, clientId: string): SignedPost {
  return { headers: { 'content-type': 'application/json;charset=utf-8', 'garmin-client-id': clientId }, body };
}

const FORGED_KEY = 'bWFkZS11cA==';

export function forgedPost(forgery: Forgery, facts: WebhookFacts, clientId: string): SignedPost {
  switch (forgery) {
    case 'client-id':
      return namedPost(webhookBody(facts, FORGED_KEY), `not-${clientId}`);
    case 'foreign-address':
      return namedPost(webhookBody({ ...facts, pushed: undefined }, FORGED_KEY, 'https://apis.garmin.com.example.test'), clientId);
    case 'not-json': {
      const body = webhookBody(facts, FORGED_KEY);
      return namedPost(body.subarray(0, Math.floor(body.length / 2)), clientId);
    }
  }
}
