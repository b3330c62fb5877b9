import { z } from 'zod';

const times = z.int().min(0).max(1_000_000);
/** `true` goes on until it is taken back; a number counts down. */
const untilOrTimes = z.union([z.boolean(), times]);

/** What can be made to go wrong; all absent means: nothing does. `null` takes one back. */
export const faultsShape = z
  .strictObject({
    /** Each read is answered from the state at its arrival, this much later: a slow read is an old read. */
    readDelayMs: z.int().min(0).max(600_000).nullable(),
    /** `reset` cuts the connection, `garbled` answers 200 with half a document. */
    failReads: z.strictObject({ status: z.union([z.int().min(400).max(599), z.enum(['reset', 'garbled'])]), times }).nullable(),
    rateLimit: z
      .strictObject({ limit: z.int().min(0), windowS: z.number().positive(), tier: z.enum(['app', 'token']).default('app') })
      .nullable(),
    /** Documents read by id are not found this many times, as before a provider's own replicas agree. */
    notReady: times.nullable(),
    pageSize: z.int().min(1).max(1000).nullable(),
    dropWebhooks: untilOrTimes.nullable(),
    /** Further copies of each webhook; `true` is one. */
    duplicateWebhooks: z.union([z.boolean(), z.int().min(0).max(1000)]).nullable(),
    /** Every second webhook overtakes the one before it. */
    reorderWebhooks: z.boolean().nullable(),
    delayWebhooksMs: z.int().min(0).max(600_000).nullable(),
    /** Times the waits between retries: 0.001 makes an hour 3.6 seconds. */
    retryScale: z.number().min(0).max(10).nullable(),
    /** Whether a retry is stamped anew; most providers do not say. */
    retryTimestamps: z.enum(['fresh', 'kept']).nullable(),
    /** How long a callback may take, 10 s unless said. */
    answerTimeoutMs: z.int().min(1).max(60_000).nullable(),
  })
  .partial();

export type Faults = z.infer<typeof faultsShape>;

const DEFAULT_PAGE = 3;
const ANSWER_MS = 10_000;

export interface PassedLimit {
  readonly limit: number;
  readonly windowS: number;
  readonly tier: 'app' | 'token';
  readonly used: number;
  /** Whole seconds until the next window, and the same moment in seconds since the epoch. */
  readonly resetInS: number;
  readonly resetAtS: number;
}

interface RateWindow {
  startedAt: number;
  used: number;
}

/** The switches, and what is left of the ones that count. */
export class FaultBox {
  #faults: Faults = {};
  readonly #windows = new Map<string, RateWindow>();

  /** Sets the given switches and leaves the others. */
  set(faults: Faults): Faults {
    const { rateLimit } = faults;
    if (rateLimit !== undefined) this.#windows.clear();
    this.#faults = { ...this.#faults, ...faults };
    return this.current();
  }

  current(): Faults {
    return Object.fromEntries(Object.entries(this.#faults).filter(([, value]) => value !== null && value !== undefined));
  }

  clear(): void {
    this.#faults = {};
    this.#windows.clear();
  }

  get readDelayMs(): number {
    return this.#faults.readDelayMs ?? 0;
  }
  get pageSize(): number {
    return this.#faults.pageSize ?? DEFAULT_PAGE;
  }
  get delayWebhooksMs(): number {
    return this.#faults.delayWebhooksMs ?? 0;
  }
  get duplicates(): number {
    return Number(this.#faults.duplicateWebhooks ?? 0);
  }
  get reorders(): boolean {
    return this.#faults.reorderWebhooks ?? false;
  }
  get retryScale(): number {
    return this.#faults.retryScale ?? 1;
  }
  get retriesKeepTimestamp(): boolean {
    return this.#faults.retryTimestamps === 'kept';
  }
  get answerTimeoutMs(): number {
    return this.#faults.answerTimeoutMs ?? ANSWER_MS;
  }

  /** Uses one failing read up. */
  takeFailingRead(): number | 'reset' | 'garbled' | undefined {
    const failing = this.#faults.failReads;
    if (!failing || failing.times === 0) return undefined;
    this.#faults.failReads = { ...failing, times: failing.times - 1 };
    return failing.status;
  }

  takeNotReady(): boolean {
    const left = this.#faults.notReady ?? 0;
    if (left === 0) return false;
    this.#faults.notReady = left - 1;
    return true;
  }

  takeDrop(): boolean {
    const drop = this.#faults.dropWebhooks ?? false;
    if (typeof drop === 'number' && drop > 0) this.#faults.dropWebhooks = drop - 1;
    return drop !== false && drop !== 0;
  }

  /** Counts a read against the limit. @returns undefined while it is kept. */
  passedLimit(keys: { readonly app: string; readonly token: string }, now: number): PassedLimit | undefined {
    const rule = this.#faults.rateLimit;
    if (!rule) return undefined;
    const key = `${rule.tier} ${keys[rule.tier]}`;
    const lengthMs = rule.windowS * 1000;
    let window = this.#windows.get(key);
    if (window === undefined || now >= window.startedAt + lengthMs) {
      window = { startedAt: now, used: 0 };
      this.#windows.set(key, window);
    }
    window.used += 1;
    if (window.used <= rule.limit) return undefined;
    const resetAt = window.startedAt + lengthMs;
    return { ...rule, used: window.used, resetInS: Math.ceil((resetAt - now) / 1000), resetAtS: Math.ceil(resetAt / 1000) };
  }
}
