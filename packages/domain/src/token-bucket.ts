/** How calls come back: a little at a time, or all at once when the provider's window begins anew (Strava at the quarter hours). */
export type Refill =
  | { readonly is: 'steady'; readonly perS: number }
  | { readonly is: 'window'; readonly lengthMs: number; readonly resetsAt: number };

/** What may be called of one provider app, or for one connection. Times in epoch milliseconds. */
export interface Bucket {
  readonly capacity: number;
  /** May be a fraction; never negative, never above the capacity. */
  readonly tokens: number;
  readonly refill: Refill;
  /** As of when `tokens` is. */
  readonly at: number;
  /** The provider said to stay away until then. */
  readonly pausedUntil: number | undefined;
  /** Share of the capacity, 0 to 1, that only live reads may use. */
  readonly reserved: number;
}

/** Why something is read: a person waits for `live`; history and the regular look can wait. */
export type CallClass = 'live' | 'backfill' | 'sweep';

export type Taken =
  | { readonly granted: true; readonly buckets: readonly Bucket[] }
  /** Nothing was taken of any bucket. `at`: when to come back, jitter included. `by`: the place of the bucket that is the last to have them. */
  | { readonly granted: false; readonly at: number; readonly by: number; readonly buckets: readonly Bucket[] };

/** Of what is reserved for live reads a sweep leaves this much more: a backfill has somebody watching its progress. */
const SWEEP_LEAVES_ALSO = 0.1;
/** Waits are spread over this part of themselves, and at most this long, so that what was refused together does not come back together. */
const JITTER_SHARE = 0.1;
const JITTER_MAX_MS = 30_000;
/** When nothing says when, e.g. a call larger than the whole bucket. */
const UNKNOWN_WAIT_MS = 60_000;

/** What has come back since. A clock that was set back changes nothing. */
export function refilled(bucket: Bucket, now: number): Bucket {
  if (now <= bucket.at) return bucket;
  const { refill, capacity } = bucket;
  const pausedUntil = bucket.pausedUntil !== undefined && bucket.pausedUntil <= now ? undefined : bucket.pausedUntil;
  if (refill.is === 'steady') {
    const tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * refill.perS);
    return { ...bucket, tokens, at: now, pausedUntil };
  }
  if (now < refill.resetsAt) return { ...bucket, at: now, pausedUntil };
  const windows = Math.floor((now - refill.resetsAt) / refill.lengthMs) + 1;
  const resetsAt = refill.resetsAt + windows * refill.lengthMs;
  return { ...bucket, tokens: capacity, refill: { ...refill, resetsAt }, at: now, pausedUntil };
}

/**
 * Takes calls from every bucket that they count against (the app's and the connection's), or from none. A refusal is no attempt: the
 * window waits until `at`, and no worker does.
 * @param random 0 to 1, for jitter.
 */
export function takeCalls(
  buckets: readonly Bucket[],
  { calls, kind }: { readonly calls: number; readonly kind: CallClass },
  now: number,
  random: number,
): Taken {
  const full = buckets.map((bucket) => refilled(bucket, now));
  const times = full.map((bucket) => availableAt(bucket, calls, kind, now));
  const at = Math.max(...times, now);
  if (at > now) return { granted: false, at: jittered(at, now, random), by: times.indexOf(at), buckets: full };
  return { granted: true, buckets: full.map((bucket) => ({ ...bucket, tokens: bucket.tokens - calls })) };
}

/**
 * Calls that were taken and not made come back, unless the window that they were taken of has ended: then they went with it.
 * @param ofWindow when that window was to end, epoch milliseconds; undefined where the bucket had none.
 */
export function givenBack(bucket: Bucket, calls: number, ofWindow: number | undefined, now: number): Bucket {
  const before = refilled(bucket, now);
  if (before.refill.is === 'window' && before.refill.resetsAt !== ofWindow) return before;
  return { ...before, tokens: Math.min(before.capacity, before.tokens + calls) };
}

/** Milliseconds between two calls of a class that a bucket can keep up with for good; what waits for it comes back so far apart. */
export function spacingMs(bucket: Bucket, kind: CallClass): number {
  const { refill, capacity } = bucket;
  if (refill.is === 'steady') return refill.perS > 0 ? 1000 / refill.perS : UNKNOWN_WAIT_MS;
  return refill.lengthMs / Math.max(1, capacity - keptBack(bucket, kind));
}

/** The most calls that a class can ever take of a bucket at once; at least one, so that whoever asks is told when to come back. */
export function mostAtOnce(bucket: Bucket, kind: CallClass): number {
  return Math.max(1, Math.floor(bucket.capacity - keptBack(bucket, kind)));
}

/** What a provider's answer says of its limits; undefined what it does not say. */
export interface Quota {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Epoch milliseconds at which the window begins anew. */
  readonly resetsAt: number | undefined;
  /** Length of the window, in milliseconds. */
  readonly windowMs: number | undefined;
}

/**
 * The provider knows best how much is left, except that it cannot know of our calls that are under way: so an answer lowers what we think
 * is left and never raises it; a reset does that, by our clock or by the provider's. What makes no sense is passed over.
 * @param askedAt when the call began: what was left of a window that has ended since says nothing of the new one.
 */
export function learned(bucket: Bucket, quota: Quota, now: number, askedAt = now): Bucket {
  const before = refilled(bucket, now);
  const limit = positive(quota.limit);
  const capacity = limit ?? before.capacity;
  const windowMs = positive(quota.windowMs);
  const resetsAt = positive(quota.resetsAt);
  const { refill } = before;
  const renewed = refill.is === 'window' && resetsAt !== undefined && resetsAt - refill.resetsAt > (windowMs ?? refill.lengthMs) / 2;
  // What is used stays used when the limit turns out to be another one.
  const ours = renewed ? capacity : Math.max(0, before.tokens + (capacity - before.capacity));
  const left = quota.remaining !== undefined && quota.remaining >= 0 && !isOfBefore(before, askedAt) ? quota.remaining : Infinity;
  return {
    ...before,
    capacity,
    tokens: Math.min(capacity, ours, left),
    refill: refillOf(refill, { limit, windowMs, resetsAt }, now),
  };
}

/**
 * After a 429, or what means the same: nobody comes back before `until`, and the latest of several such orders counts. A bucket whose
 * window ends only after that was not the one that ran out: a short pause must not empty the day.
 * @param until undefined when the provider did not say, or said nonsense: then the next reset, else a minute.
 * @param askedAt when the call began: a window that has ended since was spent, and the new one is not.
 */
export function refused(bucket: Bucket, until: number | undefined, now: number, askedAt = now): Bucket {
  const before = refilled(bucket, now);
  const orders = until !== undefined && Number.isFinite(until) && until > now;
  if (!orders && isOfBefore(before, askedAt)) return before;
  const usual = before.refill.is === 'window' ? before.refill.resetsAt : now + UNKNOWN_WAIT_MS;
  const asked = orders ? until : usual;
  const ranOut = before.refill.is === 'steady' || asked >= before.refill.resetsAt;
  return { ...before, tokens: ranOut ? 0 : before.tokens, pausedUntil: Math.max(asked, before.pausedUntil ?? 0) };
}

/**
 * When to come back, of everything that an answer says about it (providers give wrong or missing `Retry-After` beside a right reset).
 * @param said epoch milliseconds; undefined, past and nonsense are passed over.
 * @returns the latest usable one; undefined when there is none.
 */
export function retryAtOf(said: readonly (number | undefined)[], now: number): number | undefined {
  const usable = said.filter((at): at is number => at !== undefined && Number.isFinite(at) && at > now);
  return usable.length === 0 ? undefined : Math.max(...usable);
}

function isOfBefore({ refill }: Bucket, askedAt: number): boolean {
  return refill.is === 'window' && askedAt < refill.resetsAt - refill.lengthMs;
}

function availableAt(bucket: Bucket, calls: number, kind: CallClass, now: number): number {
  const paused = bucket.pausedUntil ?? now;
  const needed = calls + keptBack(bucket, kind);
  if (bucket.tokens >= needed) return paused;
  const { refill } = bucket;
  if (needed > bucket.capacity) return Math.max(paused, now + UNKNOWN_WAIT_MS);
  if (refill.is === 'window') return Math.max(paused, refill.resetsAt);
  const wait = refill.perS > 0 ? Math.ceil(((needed - bucket.tokens) / refill.perS) * 1000) : UNKNOWN_WAIT_MS;
  return Math.max(paused, now + wait);
}

function keptBack({ capacity, reserved }: Bucket, kind: CallClass): number {
  if (kind === 'live') return 0;
  return capacity * Math.min(1, reserved + (kind === 'sweep' ? SWEEP_LEAVES_ALSO : 0));
}

function jittered(at: number, now: number, random: number): number {
  return Math.ceil(at + random * Math.min((at - now) * JITTER_SHARE, JITTER_MAX_MS));
}

function refillOf(
  before: Refill,
  told: { readonly limit: number | undefined; readonly windowMs: number | undefined; readonly resetsAt: number | undefined },
  now: number,
): Refill {
  const lengthMs = told.windowMs ?? (before.is === 'window' ? before.lengthMs : undefined);
  if (told.resetsAt !== undefined && told.resetsAt > now && lengthMs !== undefined) {
    return { is: 'window', lengthMs, resetsAt: told.resetsAt };
  }
  if (before.is === 'steady' && told.limit !== undefined && told.windowMs !== undefined) {
    return { is: 'steady', perS: (told.limit / told.windowMs) * 1000 };
  }
  return before;
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}
