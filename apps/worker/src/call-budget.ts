import { type Bucket, type CallClass, givenBack, learned, mostAtOnce, refused, spacingMs, takeCalls } from '@tributary/domain';
import type { ProviderHttp } from '@tributary/providers';
import type { Clock, Logger } from '@tributary/service-shell';
import {
  type BudgetOwner,
  type Database,
  type NewBucket,
  type StoredBucket,
  type StoredBuckets,
  addBuckets,
  inTransaction,
  lockBuckets,
  saveBuckets,
} from '@tributary/storage';
import { type Answered, type Ask, CallsRefused, type Pause, type Report, type TakenCalls } from './budget-visit.js';
import { BudgetedHttp } from './budgeted-http.js';
import { CallNeeds } from './call-needs.js';
import { type Account, bucketKey, bucketsOf, fitted } from './call-budget-buckets.js';
import type { WorkerMetrics } from './worker-metrics.js';

interface Parts {
  readonly pool: Database['pool'];
  readonly clock: Clock;
  readonly monotonic: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
}

/** Locked buckets, while a transaction is open. */
interface Book {
  readonly now: number;
  /** By key; those that were changed are written back. */
  readonly buckets: Map<string, StoredBucket>;
  readonly changed: Set<string>;
}

interface Job {
  readonly wanted: readonly NewBucket[];
  /** The lower, the sooner it is served among those that wait together. */
  readonly rank: number;
  /** May run more than once: the transaction is repeated after a deadlock. */
  run(book: Book): () => void;
  fail(error: unknown): void;
}

/** Jobs of one transaction. */
const MOST_JOBS = 64;
/** When a provider refuses a call for tokens and does not say how long. */
const UNKNOWN_WAIT_MS = 60_000;

/**
 * Where calls to providers are taken, one place for all processes: the buckets are rows. A visit is one short transaction, which ends before
 * the call begins; visits to one app that wait at the same moment share one.
 */
export class CallBudget {
  readonly #waiting = new Map<string, Job[]>();
  readonly #needs = new CallNeeds();

  /** @param sandboxTimes how much more sandbox apps may call. At 1 they are like real ones, and learn the limits too. */
  constructor(
    private readonly parts: Parts,
    private readonly sandboxTimes?: number,
  ) {}

  /**
   * A client for one read. Close it afterwards, so that what it did not use comes back.
   * @param purpose what is read: as many calls as it needed last time are taken before it begins. Otherwise several reads that begin together
   * use up what is left between them, and none comes to its end.
   */
  open(http: ProviderHttp, account: Account, kind: CallClass, purpose?: string): BudgetedHttp {
    const name = purpose === undefined ? undefined : `${account.connectionId ?? ''} ${kind} ${purpose}`;
    return new BudgetedHttp({
      ...this.parts,
      http,
      budget: this,
      account,
      kind,
      need: this.#needs.get(name),
      note: this.#needs.noteFor(name),
    });
  }

  /** As many calls as asked for, or as can ever be taken at once. @throws CallsRefused */
  async take(account: Account, ask: Ask, report: Report = {}): Promise<TakenCalls> {
    const { kind } = ask;
    const taken = await this.#visit(account, kind === 'live' ? 1 : 2, (book, wanted) => {
      this.#enter(book, { account, wanted }, report);
      return this.#takeFrom(book, wanted, ask);
    });
    if (!('scope' in taken)) return taken;
    this.parts.metrics.callRefusals.inc({ provider: account.provider.id, scope: taken.scope, class: kind, by: 'budget' });
    throw new CallsRefused(taken);
  }

  /** @returns the pause, when the answer refused the call for its rate. */
  async report(account: Account, report: Report): Promise<Pause | undefined> {
    return this.#visit(account, 0, (book, wanted) => this.#enter(book, { account, wanted }, report));
  }

  #visit<T>(account: Account, rank: number, visit: (book: Book, wanted: readonly NewBucket[]) => T): Promise<T> {
    const wanted = bucketsOf(account, this.sandboxTimes);
    if (wanted.length === 0) return Promise.resolve(visit({ now: this.parts.clock(), buckets: new Map(), changed: new Set() }, wanted));
    return new Promise<T>((resolve, reject) => {
      const run = (book: Book) => {
        const result = visit(book, wanted);
        return () => resolve(result);
      };
      const key = `${account.tenantId}/${account.environment}/${account.providerAppId}`;
      const job: Job = { wanted, rank, run, fail: reject };
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) waiting.push(job);
      else {
        this.#waiting.set(key, [job]);
        void this.#serve(account, key);
      }
    });
  }

  /** One transaction after the other for an app, each with all that wait. */
  async #serve({ tenantId, environment, providerAppId }: BudgetOwner, key: string): Promise<void> {
    const owner = { tenantId, environment, providerAppId };
    for (;;) {
      const jobs = (this.#waiting.get(key) ?? []).sort((a, b) => a.rank - b.rank).splice(0, MOST_JOBS);
      if (jobs.length === 0) break;
      try {
        for (const done of await this.#together(owner, jobs)) done();
      } catch (error) {
        for (const job of jobs) job.fail(error);
      }
    }
    this.#waiting.delete(key);
  }

  async #together(owner: BudgetOwner, jobs: readonly Job[]): Promise<(() => void)[]> {
    const wanted = new Map(jobs.flatMap((job) => job.wanted).map((bucket) => [bucketKey(bucket), bucket]));
    const connectionIds = new Set([...wanted.values()].flatMap(({ connectionId }) => connectionId ?? []));
    const attempt = (mayAdd: boolean) =>
      inTransaction(this.parts.pool, async (client) => {
        const stored = await lockBuckets(client, owner, [...connectionIds].sort());
        const missing = missingOf(wanted, stored);
        // Added outside, so that nothing is locked while somebody who erases the person is waited for.
        if (mayAdd && missing.length > 0) return missing;
        const book = openBook(stored, wanted, this.parts.clock());
        const done = jobs.map((job) => runOrFail(job, book));
        const changed = [...book.changed].flatMap((name) => book.buckets.get(name) ?? []);
        if (changed.length > 0) await saveBuckets(client, owner, changed);
        return { done };
      });
    let end = await attempt(true);
    if (!('done' in end)) {
      await addBuckets(this.parts.pool, owner, end);
      // What is missing still belongs to somebody who is gone; their read will find that out.
      end = await attempt(false);
    }
    return 'done' in end ? end.done : [];
  }

  #takeFrom(book: Book, wanted: readonly NewBucket[], { calls, kind, orOne }: Ask): TakenCalls | Pause {
    const keys = wanted.map(bucketKey).filter((key) => book.buckets.has(key));
    const buckets = keys.map((key) => (book.buckets.get(key) as StoredBucket).bucket);
    let granted = Math.min(calls, ...buckets.map((bucket) => mostAtOnce(bucket, kind)));
    let taken = takeCalls(buckets, { calls: granted, kind }, book.now, this.parts.random());
    if (!taken.granted && orOne === true && granted > 1) {
      granted = 1;
      taken = takeCalls(buckets, { calls: 1, kind }, book.now, this.parts.random());
    }
    if (!taken.granted) {
      const stored = book.buckets.get(keys[taken.by] as string) as StoredBucket;
      const scope = stored.connectionId === undefined ? 'app' : 'connection';
      const pause = { scope, kind, waitMs: taken.at - book.now, spacingMs: spacingMs(stored.bucket, kind) } as const;
      const isOneLeft = granted > 1 && takeCalls(buckets, { calls: 1, kind }, book.now, 0).granted;
      return isOneLeft ? { ...pause, alone: true } : pause;
    }
    for (const [place, key] of keys.entries()) put(book, key, taken.buckets[place] as Bucket);
    const resets = taken.buckets.map(({ refill }) => (refill.is === 'window' ? refill.resetsAt : undefined));
    return {
      calls: granted,
      ofWindows: new Map(keys.map((key, place) => [key, resets[place]])),
      goodForMs: Math.min(...resets.map((at) => (at === undefined ? Infinity : at - book.now))),
    };
  }

  #enter(book: Book, of: { account: Account; wanted: readonly NewBucket[] }, { answer, unused }: Report): Pause | undefined {
    for (const [key, ofWindow] of unused?.ofWindows ?? []) {
      const stored = book.buckets.get(key);
      if (stored !== undefined) put(book, key, givenBack(stored.bucket, unused?.calls ?? 0, ofWindow, book.now));
    }
    return answer === undefined ? undefined : this.#heed(book, of, answer);
  }

  /** By the database's clock: all that an answer says is of when it came, which may be a moment ago. */
  #heed(
    book: Book,
    { account, wanted }: { account: Account; wanted: readonly NewBucket[] },
    { reply, askedAt, answeredAt }: Answered,
  ): Pause | undefined {
    const { limits } = account.provider;
    const atDatabase = (at: number) => book.now - Math.max(0, this.parts.monotonic() - at);
    const asked = atDatabase(askedAt);
    const keyOf = (scope: 'app' | 'connection', name: string) =>
      bucketKey({ connectionId: scope === 'app' ? undefined : account.connectionId, name });
    for (const { scope, bucket: name, quota } of limits.quotasOf(reply, atDatabase(answeredAt))) {
      const key = keyOf(scope, name);
      const stored = book.buckets.get(key);
      if (stored === undefined) continue;
      // What a stand-in was ordered to limit for a moment is not the size of anything.
      const told = account.sandbox && this.sandboxTimes !== 1 ? { ...quota, limit: undefined, windowMs: undefined } : quota;
      put(book, key, learned(stored.bucket, told, book.now, asked), stored.learned || told.limit !== undefined);
    }
    const refusal = limits.refusalOf(reply, atDatabase(answeredAt));
    if (refusal === undefined) return undefined;
    const named = keyOf(refusal.scope, refusal.bucket);
    const key = book.buckets.has(named) ? named : firstKey(wanted, refusal.scope);
    const stored = book.buckets.get(key);
    // The token endpoint, where its calls are counted nowhere: whoever asked waits, and nobody else.
    if (stored === undefined) {
      const waitMs = (refusal.until ?? book.now + UNKNOWN_WAIT_MS) - book.now;
      return { scope: 'connection', kind: 'live', waitMs: Math.max(waitMs, 1_000), spacingMs: 1_000 };
    }
    const bucket = refused(stored.bucket, refusal.until, book.now, asked);
    put(book, key, bucket);
    const next = takeCalls([bucket], { calls: 1, kind: 'live' }, book.now, this.parts.random());
    // Refused of a window that has ended since: at once, but not in this moment.
    const waitMs = next.granted ? 1_000 : next.at - book.now;
    return { scope: refusal.scope, kind: 'live', waitMs, spacingMs: spacingMs(bucket, 'live') };
  }
}

/** A job that throws does not take the others of its transaction with it. */
function runOrFail(job: Job, book: Book): () => void {
  try {
    return job.run(book);
  } catch (error) {
    return () => job.fail(error);
  }
}

function put({ buckets, changed }: Book, key: string, bucket: Bucket, isLearned?: boolean): void {
  const before = buckets.get(key) as StoredBucket;
  buckets.set(key, { ...before, bucket, learned: isLearned ?? before.learned });
  changed.add(key);
}

/** Where an answer names a bucket that this account does not take from: the one of the shortest span. */
function firstKey(wanted: readonly NewBucket[], scope: 'app' | 'connection'): string {
  const first = wanted.find(({ connectionId }) => (connectionId === undefined) === (scope === 'app'));
  return first === undefined ? '' : bucketKey(first);
}

function missingOf(wanted: ReadonlyMap<string, NewBucket>, { buckets }: StoredBuckets): NewBucket[] {
  const there = new Set(buckets.map(bucketKey));
  return [...wanted].filter(([key]) => !there.has(key)).map(([, bucket]) => bucket);
}

function openBook(stored: StoredBuckets, wanted: ReadonlyMap<string, NewBucket>, clock: number): Book {
  const now = stored.buckets.length > 0 ? stored.now : clock;
  const buckets = stored.buckets.map((one): [string, StoredBucket] => {
    const key = bucketKey(one);
    const facts = wanted.get(key);
    return [key, facts === undefined ? one : { ...one, bucket: fitted(one, facts, now) }];
  });
  return { now, buckets: new Map(buckets), changed: new Set() };
}
