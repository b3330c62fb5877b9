import { healthChange } from '@tributary/domain';
import type { EndpointRef } from '@tributary/handoffs';
import {
  type DeliveryResult,
  inTransaction,
  letGoOfErased,
  lockEvents,
  recordResults,
  releaseTurns,
  scrubToldErasures,
} from '@tributary/storage';
import { type Verdict, judgeEndpoint } from './judge-endpoint.js';
import type { Tried } from './send-delivery.js';
import type { SliceDependencies } from './slice-dependencies.js';

export const recording = {
  /** So many that have ended are written together, without waiting for more. */
  batch: 32,
  /** Fewer are written after so long, or when no request is under way. */
  lingerMs: 25,
  /**
   * Beyond the requests under way, so many may have ended and not be on record: a batch that is being written and one that fills. What is begun
   * and not on record when a process is killed is sent again, so that is at most this and the concurrency.
   */
  unrecorded: 64,
  /** Results that cannot be written are kept and offered again for so long. */
  patienceMs: 10_000,
} as const;

export interface Recorded {
  /** A fresh UUID of one run: results count only while the lease that it names is held. */
  readonly leaseToken: string;
  readonly ordered: boolean;
  readonly concurrency: number;
}

/** Puts on record what becomes of the deliveries of one run, a batch at a time and in order, while others are being sent. */
export class TryRecorder {
  #waiting: (Tried | DeliveryResult)[] = [];
  /** Begun and not on record. */
  #open = 0;
  #underWay = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #onRoom: (() => void)[] = [];
  #released = 0;

  constructor(
    private readonly use: SliceDependencies,
    private readonly endpoint: EndpointRef,
    private readonly run: Recorded,
  ) {}

  /** Deliveries that were called because the one before them ended. */
  get released(): number {
    return this.#released;
  }

  /** Waits until one more may be begun, and counts it as begun. False: none may, since nothing can be written. */
  async begin(): Promise<boolean> {
    while (this.#failure === undefined && this.#open >= this.run.concurrency + recording.unrecorded) {
      await new Promise<void>((resolve) => this.#onRoom.push(resolve));
    }
    if (this.#failure !== undefined) return false;
    this.#open += 1;
    this.#underWay += 1;
    return true;
  }

  /** It was not begun after all. */
  abandon(): void {
    this.#open -= 1;
    this.#underWay -= 1;
    this.#makeRoom();
  }

  ended(tried: Tried): void {
    this.#underWay -= 1;
    this.#waiting.push(tried);
    this.#write(false);
  }

  /** What was claimed and not tried. */
  giveBack(results: readonly DeliveryResult[]): void {
    this.#waiting.push(...results);
  }

  /** All that has ended is on record. @throws what kept it from being written. */
  async settle(): Promise<void> {
    while (this.#failure === undefined && (this.#waiting.length > 0 || this.#writing)) {
      this.#write(true);
      await this.#writing;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #write(now: boolean): void {
    if (this.#writing || this.#failure !== undefined || this.#waiting.length === 0) return;
    if (!now && this.#underWay > 0 && this.#waiting.length < recording.batch) {
      this.#timer ??= setTimeout(() => this.#write(true), recording.lingerMs);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#writing = this.#record(batch)
      .catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error('The results could not be written', { cause: error });
      })
      .finally(() => {
        this.#writing = undefined;
        this.#open -= batch.filter(isTried).length;
        this.#makeRoom();
        this.#write(false);
      });
  }

  #makeRoom(): void {
    for (const resolve of this.#onRoom.splice(0)) resolve();
  }

  async #record(batch: readonly (Tried | DeliveryResult)[]): Promise<void> {
    const { pool, clock } = this.use;
    const { endpoint, run } = this;
    const tried = batch.filter(isTried).sort((a, b) => a.endedAt - b.endedAt);
    const others = batch.filter((one): one is DeliveryResult => !isTried(one));
    const health = healthChange(tried.map(({ endedAt, outcome }) => ({ endedAt, delivered: outcome === 'delivered' })));
    const told = tried
      .filter(({ delivery, result }) => delivery.type === 'user.erased' && result.state !== 'pending')
      .map(({ delivery }) => delivery.eventId);
    const ended = run.ordered ? [...others, ...tried.map(({ result }) => result)].filter(({ state }) => state !== 'pending') : [];

    const slice = () => {
      const now = clock();
      const results = [...others, ...tried.map(({ result, nextAt }) => ({ ...result, waitMs: Math.max(0, (nextAt ?? now) - now) }))];
      return { ...endpoint, leaseToken: run.leaseToken, results, health };
    };
    const write = async () => {
      // One statement is a transaction of its own, in one round trip.
      if (told.length === 0 && ended.length === 0) return { after: await recordResults(pool, slice()), released: 0 };
      return inTransaction(pool, async (client) => {
        const after = await recordResults(client, slice());
        if (told.length > 0) {
          await lockEvents(client, endpoint, told);
          await scrubToldErasures(client, endpoint, told);
        }
        const ids = ended.map(({ eventId }) => eventId);
        return { after, released: ids.length > 0 ? await releaseTurns(client, endpoint, ids) : 0 };
      });
    };
    const { after, released } = await this.#patiently(write);
    this.#released += released;
    this.#tellOf(tried);
    if (after.recorded < batch.length) {
      const eventIds = [...others, ...tried.map(({ result }) => result)].map(({ eventId }) => eventId);
      await this.#patiently(() => letGoOfErased(pool, endpoint, { endpointId: endpoint.endpointId, eventIds }));
    }
    if (after.recorded === 0 || health.failures === 0) return;
    const goneAt = tried.findLast(({ outcome }) => outcome === 'gone')?.delivery.url;
    const verdict = await this.#patiently(() => judgeEndpoint(this.use, endpoint, after, goneAt));
    if (verdict) this.#tellOfVerdict(verdict);
  }

  #tellOf(tried: readonly Tried[]): void {
    for (const { delivery, outcome, result, nextAt } of tried) {
      if (outcome === 'delivered') continue;
      this.use.log.warn({
        what: 'delivery.attempt_failed',
        ...this.endpoint,
        eventId: delivery.eventId,
        attempt: delivery.attempts + 1,
        outcome,
        status: result.attempt.status ?? null,
        tookMs: result.attempt.durationMs,
        next: nextAt === undefined ? null : new Date(nextAt).toISOString(),
      });
    }
  }

  #tellOfVerdict(verdict: Verdict): void {
    if (verdict.is === 'disabled') this.use.log.warn({ what: 'endpoint.disabled', ...this.endpoint, reason: verdict.reason });
    else this.use.log.warn({ what: 'endpoint.failing', ...this.endpoint });
  }

  /** What was sent and is not written down is sent again when the lease ends: so a database that restarts is waited for. */
  async #patiently<T>(write: () => Promise<T>): Promise<T> {
    const { clock, log } = this.use;
    const until = clock() + recording.patienceMs;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (clock() >= until) throw error;
        log.warn({ what: 'delivery.record_failed', ...this.endpoint, err: error });
        await new Promise((wait) => setTimeout(wait, 500));
      }
    }
  }
}

function isTried(one: Tried | DeliveryResult): one is Tried {
  return 'result' in one;
}
