import type { Keys } from '../ordered-sends.js';
import type { SignedPost } from '../webhook-sender.js';
import { civil, typeName, types } from './documents.js';
import type { SigningKey } from './signing-key.js';

/** How a message can be wrong. `no-secret` is signed and has no `Authorization`; `none` has neither; `not-json` is rightly proved. */
export const forgeries = ['signature', 'body', 'secret', 'no-secret', 'unsigned', 'none', 'not-json'] as const;
export type Forgery = (typeof forgeries)[number];

export interface WebhookFacts {
  readonly subjectId: string;
  readonly dataType: string;
  readonly operation: 'UPSERT' | 'DELETE';
  readonly startTime: string;
  readonly endTime: string;
}

/** A list of one notification; totals also tell the person's own days. */
export function webhookBody({ subjectId, dataType, operation, startTime, endTime }: WebhookFacts): Buffer {
  const days = types[dataType]?.kind === 'rollup' || types[dataType]?.kind === 'date';
  const interval = {
    physicalTimeInterval: { startTime, endTime },
    ...(days && {
      civilDateTimeInterval: {
        startDateTime: { date: civil(startTime.slice(0, 10)), time: {} },
        endDateTime: { date: civil(endTime.slice(0, 10)), time: {} },
      },
    }),
  };
  const data = {
    version: '1',
    clientProvidedSubscriptionName: 'all',
    healthUserId: subjectId,
    operation,
    dataType: typeName(dataType),
    intervals: [interval],
  };
  return Buffer.from(JSON.stringify([{ data }]));
}

export function signedPost(body: Buffer, secret: string, key: SigningKey): SignedPost {
  return {
    headers: { 'content-type': 'application/json', authorization: secret, 'google-health-api-signature': key.sign(body) },
    body,
  };
}

/** A post that a receiver must not act on. @param otherKey one that is not in the key set. */
export function forgedPost(
  forgery: Forgery,
  body: Buffer,
  { secret, otherSecret }: Keys,
  { key, otherKey }: { key: SigningKey; otherKey: SigningKey },
): SignedPost {
  const json = { 'content-type': 'application/json' };
  switch (forgery) {
    case 'signature':
      return signedPost(body, secret, otherKey);
    case 'body':
      return {
        ...signedPost(body, secret, key),
        body: Buffer.from(body.toString().replace('"UPSERT"', '"DELETE"').replace('"all"', '"any"')),
      };
    case 'secret':
      return signedPost(body, `Bearer ${otherSecret}`, key);
    case 'no-secret':
      return { headers: { ...json, 'google-health-api-signature': key.sign(body) }, body };
    case 'unsigned':
      return { headers: { ...json, authorization: secret }, body };
    case 'none':
      return { headers: json, body };
    case 'not-json':
      return signedPost(body.subarray(0, Math.floor(body.length / 2)), secret, key);
  }
}
