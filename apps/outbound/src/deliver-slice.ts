import { randomUUID } from 'node:crypto';
import { type AttemptOutcome, failedTooLong, healthChange, nextAttemptAt, readReply } from '@tributary/domain';
import { type EndpointRef, eventBody } from '@tributary/handoffs';
import type { Clock, KeyRing, Logger } from '@tributary/service-shell';
import {
  type ClaimedDelivery,
  type Database,
  type DeliveryResult,
  type DisableReason,
  claimDeliveries,
  disableEndpoint,
  inTransaction,
  lockEvents,
  readEndpointSecrets,
  recordResults,
  scrubToldErasures,
} from '@tributary/storage';
import type { OutboundMetrics } from './outbound-metrics.js';
import type { Poster } from './post-to-endpoint.js';
import { type SigningKey, signDelivery, signingKeys } from './sign-delivery.js';

export const slice = {
  /** Deliveries claimed at once. What was sent and is not on record when a process is killed is at most two slices. */
  size: 200,
  /** A ticket goes on from slice to slice for so long, while the endpoint takes everything: the next one is claimed as the last is recorded. */
  goOnForMs: 500,
  /** Requests to one endpoint at the same moment. */
  concurrency: 16,
  /** No request is begun later than this after the claim; what is left goes back, and the endpoint to the end of the queue. */
  beginWithinMs: 3_000,
  /** For what comes after the last request: recording it while the lease still holds. */
  recordWithinMs: 2_000,
  /** How long an endpoint rests whose secrets we cannot use: our fault, so it costs no attempt. */
  noSecretRestMs: 60_000,
  /** Results that cannot be written are kept and offered again for so long. */
  recordPatienceMs: 10_000,
} as const;

export interface SliceDependencies {
  readonly pool: Database['pool'];
  readonly keys: KeyRing;
  readonly poster: Poster;
  /** Deadline of one request; the lease is made from it. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: OutboundMetrics;
  /** True once the process is to end: nothing new is begun. */
  readonly draining: () => boolean;
}

/** A delivery with something to send. */
interface Owed extends ClaimedDelivery {
  readonly type: string;
  readonly occurredAt: Date;
  readonly data: Buffer;
}

interface Tried {
  readonly delivery: Owed;
  readonly result: DeliveryResult & { readonly attempt: NonNullable<DeliveryResult['attempt']> };
  readonly outcome: AttemptOutcome;
  readonly endedAt: number;
  /** Epoch milliseconds of the next attempt. */
  readonly nextAt: number | undefined;
}

interface Claim {
  readonly leaseToken: string;
  /** Epoch milliseconds. */
  readonly beginUntil: number;
  readonly deliveries: readonly ClaimedDelivery[];
}

interface Sent {
  readonly leaseToken: string;
  readonly tried: readonly Tried[];
  readonly others: readonly DeliveryResult[];
  /** There is, or may be, more that is due. */
  readonly hasMore: boolean;
  /** There may be more, and the endpoint has taken all of this. */
  readonly goesWell: boolean;
}

/** Sends what one endpoint is owed. */
export class DeliverSlice {
  constructor(private readonly use: SliceDependencies) {}

  /**
   * Claims a slice, sends it and records what came of it; another one after it while all of them are taken and time is left.
   * @returns true when the endpoint has, or may have, more that is due.
   */
  async run(endpoint: EndpointRef): Promise<boolean> {
    const { clock, draining } = this.use;
    const goOnUntil = clock() + slice.goOnForMs;
    let recording = Promise.resolve();
    try {
      for (;;) {
        const claim = draining() ? undefined : await this.#claim(endpoint);
        const sent = claim && (await this.#send(endpoint, claim));
        // One at a time and in order, for they add to the health of the same endpoint.
        await recording;
        if (!sent) return false;
        recording = this.#record(endpoint, sent.leaseToken, sent.tried, sent.others);
        // It is awaited in any case, if not at once: until then its failure is not one that nobody looks at.
        recording.catch(() => undefined);
        if (!sent.goesWell || clock() >= goOnUntil) return sent.hasMore && !draining();
      }
    } finally {
      await recording;
    }
  }

  async #claim(endpoint: EndpointRef): Promise<Claim | undefined> {
    const { pool, clock, deadlineMs } = this.use;
    const leaseToken = randomUUID();
    const beginUntil = clock() + slice.beginWithinMs;
    const leaseMs = slice.beginWithinMs + deadlineMs + slice.recordWithinMs;
    const deliveries = await claimDeliveries(pool, { ...endpoint, limit: slice.size, leaseToken, leaseMs });
    return deliveries.length === 0 ? undefined : { leaseToken, beginUntil, deliveries };
  }

  async #send(endpoint: EndpointRef, { leaseToken, beginUntil, deliveries }: Claim): Promise<Sent> {
    const owed = deliveries.filter(isOwed);
    // The event was erased or scrubbed: an empty one would tell the customer nothing, and its absence is what was asked for.
    const cancelled = deliveries.filter((delivery) => !isOwed(delivery)).map((delivery) => untried(delivery, 'cancelled', 0));
    const isFull = deliveries.length === slice.size;
    const keys = owed.length > 0 ? await this.#signingKeys(endpoint) : [];
    if (owed.length > 0 && keys.length === 0) {
      const rested = owed.map((delivery) => untried(delivery, 'pending', slice.noSecretRestMs));
      return { leaseToken, tried: [], others: [...cancelled, ...rested], hasMore: isFull, goesWell: false };
    }
    const tried = await this.#sendAll(endpoint, owed, { keys, beginUntil });
    const begun = new Set(tried.map(({ delivery }) => delivery.eventId));
    const returned = owed.filter(({ eventId }) => !begun.has(eventId)).map((delivery) => untried(delivery, 'pending', 0));
    return {
      leaseToken,
      tried,
      others: [...cancelled, ...returned],
      hasMore: isFull || returned.length > 0,
      goesWell: isFull && tried.length === owed.length && tried.every(({ outcome }) => outcome === 'delivered'),
    };
  }

  /** Read for every slice, so that a secret added or retired counts at once, also for events that were already waiting. */
  async #signingKeys(endpoint: EndpointRef): Promise<SigningKey[]> {
    const { pool, keys, log } = this.use;
    const sealed = await readEndpointSecrets(pool, endpoint);
    const opened = sealed.flatMap((secret) => {
      try {
        return signingKeys(keys.open(secret.sealed, `endpoint_secret:${secret.id}`));
      } catch (error) {
        log.error({ what: 'delivery.secret_unreadable', ...named(endpoint), secretId: secret.id, err: error });
        return [];
      }
    });
    if (opened.length === 0)
      log.error({ what: 'delivery.no_secret', ...named(endpoint) }, 'nothing is sent unsigned; add a secret to the endpoint');
    return opened;
  }

  /** Bounded; stops beginning when the time is up, the process drains, or the endpoint does not answer or wants no more. */
  async #sendAll(
    endpoint: EndpointRef,
    owed: readonly Owed[],
    { keys, beginUntil }: { keys: readonly SigningKey[]; beginUntil: number },
  ): Promise<Tried[]> {
    const { clock, draining } = this.use;
    const waiting = [...owed];
    const tried: Tried[] = [];
    let enough = false;
    const sender = async (): Promise<void> => {
      for (;;) {
        if (enough || draining() || clock() >= beginUntil) return;
        const delivery = waiting.shift();
        if (!delivery) return;
        const one = await this.#sendOne(endpoint, delivery, keys);
        tried.push(one);
        // A silent endpoint holds a place in the queue for one deadline, not for one deadline for each event.
        if (one.outcome === 'timeout' || one.outcome === 'gone') enough = true;
      }
    };
    await Promise.all(Array.from({ length: Math.min(slice.concurrency, owed.length) }, sender));
    return tried;
  }

  /** One attempt: stamped and signed anew, the id and the data as ever. */
  async #sendOne(endpoint: EndpointRef, delivery: Owed, keys: readonly SigningKey[]): Promise<Tried> {
    const { poster, clock, random, metrics } = this.use;
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
    return { delivery, outcome, endedAt, nextAt, result: { eventId: delivery.eventId, state, waitMs: 0, attempt } };
  }

  /** Writes everything in one transaction, then tells the log of what failed. */
  async #record(endpoint: EndpointRef, leaseToken: string, tried: readonly Tried[], others: readonly DeliveryResult[]): Promise<void> {
    const { pool, clock, log } = this.use;
    const inOrder = tried.toSorted((a, b) => a.endedAt - b.endedAt);
    const health = healthChange(inOrder.map(({ endedAt, outcome }) => ({ endedAt, delivered: outcome === 'delivered' })));
    const gone = tried.some(({ outcome }) => outcome === 'gone');
    const told = tried
      .filter(({ delivery, result }) => delivery.type === 'user.erased' && result.state !== 'pending')
      .map(({ delivery }) => delivery.eventId);

    const write = () =>
      inTransaction(pool, async (client): Promise<DisableReason | undefined> => {
        const now = clock();
        const results = [...others, ...tried.map(({ result, nextAt }) => ({ ...result, waitMs: Math.max(0, (nextAt ?? now) - now) }))];
        const after = await recordResults(client, { ...endpoint, leaseToken, results, health });
        if (told.length > 0) {
          await lockEvents(client, endpoint, told);
          await scrubToldErasures(client, endpoint, told);
        }
        if (after.recorded === 0 || health.failures === 0) return undefined;
        const lasting = failedTooLong(
          {
            failingSince: after.failingSince?.getTime(),
            consecutiveFailures: after.consecutiveFailures ?? 0,
            lastSuccessAt: after.lastSuccessAt?.getTime(),
          },
          now,
        );
        const reason = gone ? 'answered_410' : lasting ? 'failed_too_long' : undefined;
        return reason !== undefined && (await disableEndpoint(client, endpoint, reason)) ? reason : undefined;
      });
    const disabled = await this.#patiently(endpoint, write);

    for (const { delivery, outcome, result, nextAt } of inOrder) {
      if (outcome === 'delivered') continue;
      const next = nextAt === undefined ? null : new Date(nextAt).toISOString();
      log.warn({
        what: 'delivery.attempt_failed',
        ...named(endpoint),
        eventId: delivery.eventId,
        attempt: delivery.attempts + 1,
        outcome,
        status: result.attempt.status ?? null,
        tookMs: result.attempt.durationMs,
        next,
      });
    }
    if (disabled !== undefined) log.warn({ what: 'endpoint.disabled', ...named(endpoint), reason: disabled });
  }

  /** What was sent and is not written down is sent again when the lease ends: so a database that restarts is waited for. */
  async #patiently<T>(endpoint: EndpointRef, write: () => Promise<T>): Promise<T> {
    const { clock, log } = this.use;
    const until = clock() + slice.recordPatienceMs;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (clock() >= until) throw error;
        log.warn({ what: 'delivery.record_failed', ...named(endpoint), err: error });
        await new Promise((wait) => setTimeout(wait, 500));
      }
    }
  }
}

function isOwed(delivery: ClaimedDelivery): delivery is Owed {
  return delivery.type !== null && delivery.occurredAt !== null && delivery.data !== null;
}

function untried(delivery: ClaimedDelivery, state: 'pending' | 'cancelled', waitMs: number): DeliveryResult {
  return { eventId: delivery.eventId, state, waitMs, attempt: undefined };
}

function named({ tenantId, environment, endpointId }: EndpointRef): EndpointRef {
  return { tenantId, environment, endpointId };
}
