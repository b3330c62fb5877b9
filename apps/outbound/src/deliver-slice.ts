import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type EndpointPace, fullPace, isCongested, paceAfter, paceRule } from '@tributary/domain';
import type { EndpointRef } from '@tributary/handoffs';
import {
  type ClaimedDelivery,
  type DeliveryResult,
  type EndpointTerms,
  claimDeliveries,
  claimTurns,
  fileTurns,
  giveBackRate,
  inTransaction,
  letGoOfErased,
  lockTurns,
  readEndpointSecrets,
  readEndpointTerms,
  takeProbe,
  takeRate,
  writePace,
} from '@tributary/storage';
import { LeaseWatch } from './lease-watch.js';
import { type Owed, type Tried, inForm, sendDelivery } from './send-delivery.js';
import { type SigningKey, signingKeys } from './sign-delivery.js';
import type { SliceDependencies } from './slice-dependencies.js';
import { TryRecorder, recording } from './try-recorder.js';

export const slice = {
  /** Deliveries claimed at once. */
  size: 200,
  /** A ticket goes on from slice to slice for so long, while the endpoint takes everything. */
  goOnForMs: 500,
  /** Requests to one endpoint at the same moment, while it keeps up; see `paceAfter`. */
  concurrency: paceRule.most,
  /** No request is begun later than this after the claim; what is left goes back, and the endpoint to the end of the queue. */
  beginWithinMs: 3_000,
  /** For what comes after the last request: recording it while the lease still holds. */
  recordWithinMs: 2_000,
  /** How long an endpoint rests whose secrets we cannot use: our fault, so it costs no attempt. */
  noSecretRestMs: 60_000,
  /** Of a limited rate, so much is taken for one slice, and so much may be taken ahead by others. */
  rateStretchMs: 500,
  /** Of an ordered endpoint: due deliveries looked at for one slice, and when those are looked at again whose turn it was not. */
  turnsLookedAt: 1_000,
  turnPutOffMs: 120_000,
} as const;

/** What is begun and not on record at one endpoint at the most: so much is sent twice when a process is killed. */
export const inFlightAtMost = slice.concurrency + recording.unrecorded;

interface Rate {
  /** Between two requests. */
  readonly gapMs: number;
  /** Epoch milliseconds of the first. */
  readonly from: number;
}

/** One visit to an endpoint, of one or more slices. */
interface Visit {
  readonly endpoint: EndpointRef;
  readonly terms: EndpointTerms;
  readonly recorder: TryRecorder;
  readonly leaseToken: string;
  /** Of each slice. */
  readonly limit: number;
  /** It has rested, and one delivery is to show whether it is well. */
  readonly isProbe: boolean;
  readonly rate: Rate | undefined;
  pace: EndpointPace;
}

interface SigningSecret {
  readonly id: string;
  readonly keys: readonly SigningKey[];
}

interface Sent {
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
   * @returns true when the endpoint has, or may have, more that is due and can be sent now.
   */
  async run(endpoint: EndpointRef): Promise<boolean> {
    const { pool, clock, draining } = this.use;
    if (draining()) return false;
    const terms = await readEndpointTerms(pool, endpoint);
    if (!terms) return false;
    const isProbe = terms.restsForMs !== null;
    if (isProbe && !((terms.restsForMs ?? 0) <= 0 && (await takeProbe(pool, endpoint, this.#leaseMs())))) return false;
    const limit = isProbe ? 1 : sliceLimit(terms.ratePerSecond);
    const rate = terms.ratePerSecond === null ? undefined : await this.#takeRate(endpoint, terms.ratePerSecond, limit);
    const before = paceOf(terms, clock());
    if (rate === 'taken') {
      if (isProbe) await this.#remember(endpoint, terms.url, { ...before, restsUntil: clock() });
      return false;
    }
    const leaseToken = randomUUID();
    const ordered = terms.ordering === 'user';
    const recorder = new TryRecorder(this.use, endpoint, { leaseToken, ordered, concurrency: slice.concurrency });
    const visit: Visit = { endpoint, terms, recorder, leaseToken, limit, isProbe, rate, pace: before };
    let hasMore = false;
    try {
      hasMore = await this.#goOn(visit);
    } finally {
      try {
        // Where nothing was due to probe with, the next delivery does it, whenever it comes.
        if (isNews(before, visit.pace) || isProbe) await this.#remember(endpoint, terms.url, visit.pace);
      } finally {
        await recorder.settle();
      }
    }
    return (hasMore || recorder.released > 0) && visit.pace.restsUntil === undefined && !draining();
  }

  /** Slice after slice. @returns whether there may be more. */
  async #goOn(visit: Visit): Promise<boolean> {
    const { clock, draining } = this.use;
    const goOnUntil = clock() + slice.goOnForMs;
    for (;;) {
      const beginUntil = clock() + slice.beginWithinMs;
      const { deliveries, putOff } = draining() ? { deliveries: [], putOff: 0 } : await this.#claim(visit);
      if (deliveries.length === 0) return putOff >= slice.turnsLookedAt;
      const { hasMore, goesWell } = await this.#send(visit, deliveries, beginUntil);
      // Whose turn is next is known only when this is on record.
      if (visit.terms.ordering === 'user') await visit.recorder.settle();
      if (!goesWell || visit.isProbe || visit.rate !== undefined || clock() >= goOnUntil) return hasMore || putOff >= slice.turnsLookedAt;
    }
  }

  #leaseMs(): number {
    return slice.beginWithinMs + this.use.deadlineMs + slice.recordWithinMs;
  }

  async #claim({ endpoint, terms, leaseToken, limit, rate }: Visit): Promise<{ deliveries: ClaimedDelivery[]; putOff: number }> {
    const { pool } = this.use;
    const claim = { ...endpoint, limit, leaseToken, leaseMs: this.#leaseMs() };
    const { deliveries, putOff } =
      terms.ordering === 'user'
        ? await inTransaction(pool, async (client) => {
            await lockTurns(client, endpoint);
            await fileTurns(client, endpoint, slice.turnsLookedAt);
            const { claimed, putOff: waiting } = await claimTurns(client, {
              ...claim,
              looksAt: slice.turnsLookedAt,
              putOffMs: slice.turnPutOffMs,
            });
            return { deliveries: claimed, putOff: waiting };
          })
        : { deliveries: await claimDeliveries(pool, claim), putOff: 0 };
    if (rate && deliveries.length < limit) await giveBackRate(pool, endpoint, (limit - deliveries.length) * rate.gapMs);
    return { deliveries, putOff };
  }

  async #send(visit: Visit, deliveries: readonly ClaimedDelivery[], beginUntil: number): Promise<Sent> {
    const { endpoint, recorder, limit } = visit;
    const owed = inForm(visit.terms.payload, deliveries.filter(isOwed));
    // Scrubbed: an empty event would tell the customer nothing, and its absence is what was asked for.
    const empty = deliveries.filter((delivery) => !isOwed(delivery));
    recorder.giveBack(empty.filter(({ type }) => type !== null).map((delivery) => untried(delivery, 'cancelled', 0)));
    // Erased while somebody held them who did not live to let go of them.
    const erased = empty.filter(({ type }) => type === null).map(({ eventId }) => eventId);
    if (erased.length > 0) await letGoOfErased(this.use.pool, endpoint, { endpointId: endpoint.endpointId, eventIds: erased });
    const isFull = deliveries.length === limit;
    const secrets = owed.length > 0 ? await this.#signingSecrets(endpoint) : [];
    if (owed.length > 0 && secrets.length === 0) {
      recorder.giveBack(owed.map((delivery) => untried(delivery, 'pending', slice.noSecretRestMs)));
      return { hasMore: isFull, goesWell: false };
    }
    const tried = await this.#sendAll(visit, owed, { secrets, beginUntil });
    const begun = new Set(tried.map(({ delivery }) => delivery.eventId));
    const returned = owed.filter(({ eventId }) => !begun.has(eventId)).map((delivery) => untried(delivery, 'pending', 0));
    recorder.giveBack(returned);
    return {
      hasMore: isFull || returned.length > 0,
      goesWell: isFull && returned.length === 0 && tried.every(({ outcome }) => outcome === 'delivered'),
    };
  }

  /** Read for every slice, so that a secret added or retired counts at once, also for events that were already waiting. */
  async #signingSecrets(endpoint: EndpointRef): Promise<SigningSecret[]> {
    const { pool, keys, log } = this.use;
    const sealed = await readEndpointSecrets(pool, endpoint);
    const opened = sealed.flatMap((secret) => {
      try {
        return [{ id: secret.id, keys: signingKeys(keys.open(secret.sealed, `endpoint_secret:${secret.id}`)) }];
      } catch (error) {
        log.error({ what: 'delivery.secret_unreadable', ...endpoint, secretId: secret.id, err: error });
        return [];
      }
    });
    if (opened.length === 0)
      log.error({ what: 'delivery.no_secret', ...endpoint }, 'nothing is sent unsigned; add a secret to the endpoint');
    return opened;
  }

  /** Bounded; stops beginning when the time is up, the process drains, or the endpoint does not answer, is to rest or wants no more. */
  async #sendAll(
    visit: Visit,
    owed: readonly Owed[],
    { secrets, beginUntil }: { secrets: readonly SigningSecret[]; beginUntil: number },
  ): Promise<Tried[]> {
    const { clock, random, draining } = this.use;
    const { endpoint, recorder, rate, isProbe } = visit;
    const waiting = [...owed];
    const watch = new LeaseWatch(this.use, {
      ...{ endpoint, leaseToken: visit.leaseToken, url: owed[0]?.url ?? '' },
      secretIds: secrets.map(({ id }) => id),
      eventIds: owed.map(({ eventId }) => eventId),
      claimedAt: beginUntil - slice.beginWithinMs,
    });
    const keys = secrets.flatMap((secret) => secret.keys);
    const tried: Tried[] = [];
    let enough = false;
    let place = 0;
    let senders = Math.min(Math.floor(visit.pace.concurrency), owed.length);
    const isOver = () => enough || draining() || clock() >= beginUntil;
    const sender = async (): Promise<void> => {
      while (!isOver() && waiting.length > 0 && (await recorder.begin())) {
        // Undefined also when the last one was taken while this sender waited for room.
        const delivery = isOver() ? undefined : waiting.shift();
        if (!delivery) return recorder.abandon();
        if (rate) await untilTime(rate.from + place++ * rate.gapMs, clock);
        const isOurs = await watch.mayBegin(delivery.eventId);
        if (isOver()) return recorder.abandon();
        if (!isOurs) {
          recorder.abandon();
          continue;
        }
        const one = await sendDelivery(this.use, endpoint, delivery, keys);
        tried.push(one);
        const { startedAt, endedAt, outcome, result } = one;
        const delivered = outcome === 'delivered';
        const congested = isCongested(outcome, result.attempt.status);
        visit.pace = paceAfter(visit.pace, { startedAt, endedAt, delivered, congested, random: random() });
        // A silent endpoint holds a place in the queue for one deadline, not for one deadline for each event.
        if (outcome === 'timeout' || outcome === 'gone' || (!isProbe && visit.pace.restsUntil !== undefined)) enough = true;
        recorder.ended(one);
        if (senders > Math.floor(visit.pace.concurrency)) {
          senders -= 1;
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: senders }, sender));
    return tried;
  }

  async #takeRate(endpoint: EndpointRef, perSecond: number, requests: number): Promise<Rate | 'taken'> {
    const { pool, clock } = this.use;
    const gapMs = 1_000 / perSecond;
    const startsInMs = await takeRate(pool, { ...endpoint, takesMs: requests * gapMs, aheadMs: slice.rateStretchMs });
    return startsInMs === undefined ? 'taken' : { gapMs, from: clock() + startsInMs };
  }

  async #remember(endpoint: EndpointRef, url: string, { concurrency, failures, rests, restsUntil }: EndpointPace): Promise<void> {
    const restsForMs = restsUntil === undefined ? undefined : Math.max(0, restsUntil - this.use.clock());
    await writePace(this.use.pool, { ...endpoint, url, concurrency, failures, rests, restsForMs });
    if (restsForMs !== undefined && restsForMs > 0) {
      this.use.log.warn({ what: 'endpoint.rests', ...endpoint, failures, forMs: Math.round(restsForMs) });
    }
  }
}

function sliceLimit(ratePerSecond: number | null): number {
  if (ratePerSecond === null) return slice.size;
  return Math.min(slice.size, Math.max(1, Math.floor((ratePerSecond * slice.rateStretchMs) / 1_000)));
}

function paceOf({ concurrency, failures, rests, restsForMs }: EndpointTerms, now: number): EndpointPace {
  if (concurrency === null) return fullPace;
  const restsUntil = restsForMs === null ? undefined : now + restsForMs;
  return { concurrency, loweredAt: 0, failures: failures ?? 0, rests: rests ?? 0, restsUntil };
}

function isNews(before: EndpointPace, after: EndpointPace): boolean {
  return (
    Math.floor(before.concurrency) !== Math.floor(after.concurrency) ||
    before.failures !== after.failures ||
    before.rests !== after.rests ||
    before.restsUntil !== after.restsUntil
  );
}

async function untilTime(at: number, clock: () => number): Promise<void> {
  const ms = at - clock();
  if (ms > 0) await wait(ms);
}

function isOwed(delivery: ClaimedDelivery): delivery is Owed {
  return delivery.type !== null && delivery.occurredAt !== null && delivery.data !== null;
}

function untried(delivery: ClaimedDelivery, state: 'pending' | 'cancelled', waitMs: number): DeliveryResult {
  return { eventId: delivery.eventId, state, waitMs, attempt: undefined };
}
