import { createHmac } from 'node:crypto';

export interface SignedParts {
  /** `webhook-id`: the event's id, the same for every attempt and endpoint. */
  readonly id: string;
  /** Seconds since the epoch of this attempt, not of the event. */
  readonly timestampS: number;
  readonly body: Uint8Array;
}

/**
 * The `webhook-signature` header of Standard Webhooks v1: HMAC-SHA256 over `id.timestamp.body`, one entry for each live secret, so
 * that a receiver which knows any of them accepts it while secrets rotate.
 */
export function signDelivery({ id, timestampS, body }: SignedParts, keys: readonly Buffer[]): string {
  return keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.`).update(body).digest('base64')}`).join(' ');
}

/**
 * The key of a secret as customers hold it: the bytes behind `whsec_`.
 * @throws when it is no such secret; the message does not show it.
 */
export function signingKey(secret: string): Buffer {
  const base64 = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  const key = Buffer.from(base64, 'base64');
  if (key.length === 0 || key.toString('base64') !== base64) throw new Error('A signing secret is not whsec_ followed by standard base64');
  return key;
}
