import { type AttemptOutcome, nextAttemptAt, readReply } from '@tributary/domain';
import { type EndpointRef, eventBody, thinData } from '@tributary/handoffs';
import type { ClaimedDelivery, DeliveryResult } from '@tributary/storage';
import { type SigningKey, signDelivery } from './sign-delivery.js';
import type { SliceDependencies } from './slice-dependencies.js';

/** A delivery with something to send. */
export interface Owed extends ClaimedDelivery {
  readonly type: string;
  readonly occurredAt: Date;
  readonly data: Buffer;
}

export interface Tried {
  readonly delivery: Owed;
  readonly result: DeliveryResult & { readonly attempt: NonNullable<DeliveryResult['attempt']> };
  readonly outcome: AttemptOutcome;
  /** Epoch milliseconds, as all times here. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Of the next attempt; undefined: there is none. */
  readonly nextAt: number | undefined;
}

/** What is owed in the form that the endpoint takes: derived from the stored bytes alone, so every attempt and replay sends the same. */
export function inForm(payload: 'full' | 'thin', owed: readonly Owed[]): readonly Owed[] {
  return payload === 'thin' ? owed.map((delivery) => ({ ...delivery, data: thinData(delivery.data) })) : owed;
}

/** One attempt: stamped and signed anew, the id and the data as ever. */
export async function sendDelivery(
  { poster, clock, random, metrics }: SliceDependencies,
  endpoint: EndpointRef,
  delivery: Owed,
  keys: readonly SigningKey[],
): Promise<Tried> {
  const attempts = delivery.attempts + 1;
  const body = eventBody(delivery.type, delivery.occurredAt, attempts, delivery.data);
  const timestampS = Math.floor(clock() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Tributary-Webhooks/1',
    'webhook-id': delivery.eventId,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signDelivery({ id: delivery.eventId, timestampS, body }, keys),
  };
  metrics.inFlight.inc();
  const { reply, startedAt, firstByteAt, durationMs, status, responseHeaders, responseBody } = await poster
    .post({ url: delivery.url, environment: endpoint.environment, headers, body })
    .finally(() => metrics.inFlight.dec());
  const endedAt = clock();
  const { outcome, askedToWaitMs } = readReply(reply, endedAt);
  metrics.attempts.inc({ outcome });
  if (attempts === 1 && firstByteAt !== undefined) {
    metrics.commitToFirstByte.observe(Math.max(0, firstByteAt - delivery.occurredAt.getTime()) / 1_000);
  }
  const nextAt =
    outcome === 'delivered'
      ? undefined
      : nextAttemptAt({ attempts, scheduleS: delivery.scheduleS ?? undefined, askedToWaitMs, random: random() }, endedAt);
  const state = outcome === 'delivered' ? 'delivered' : nextAt === undefined ? 'failed' : 'pending';
  const attempt = { startedAt, durationMs, outcome, status, responseHeaders, responseBody };
  return { delivery, outcome, startedAt, endedAt, nextAt, result: { eventId: delivery.eventId, state, waitMs: 0, attempt } };
}
