export interface RetryOptions {
  /** Tries of one call, the first one counted. Default 4. */
  readonly attempts?: number;
  /** Before the second try, at most; doubled for each one after. Default 500. */
  readonly firstDelayMs?: number;
  /** No wait is longer, whatever the server asks for. Default 60 000. */
  readonly longestDelayMs?: number;
  /** How long one try waits for the beginning of an answer. Default 30 000. */
  readonly timeoutMs?: number;
}

/** What the retries take from their surroundings. */
export interface RetrySurroundings {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** What a timer of JavaScript can hold. */
const longestTimerMs = 2_147_483_647;

const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/**
 * `fetch` that tries again: after a broken connection, silence, 408, 425, 429 and 5xx that may pass; a call that changes something only if it
 * carries an `Idempotency-Key`. Waits for what `Retry-After` asks, else a random part of a delay that doubles: clients that failed together
 * do not come back together.
 */
export function retryingFetch(
  options: RetryOptions,
  { fetch, sleep, now, random }: RetrySurroundings,
): (request: Request) => Promise<Response> {
  const { attempts = 4, firstDelayMs = 500, longestDelayMs = 60_000, timeoutMs = 30_000 } = options;
  if (!(timeoutMs > 0 && timeoutMs <= longestTimerMs)) throw new RangeError('retry.timeoutMs must be more than 0, and 24 days at most.');
  if (!(attempts >= 1)) throw new RangeError('retry.attempts must be 1 or more.');
  return async (request) => {
    const mayRepeat = repeatable.has(request.method) || request.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt++) {
      const last = !mayRepeat || attempt >= attempts;
      const outcome = await attemptOf(last ? request : request.clone(), timeoutMs, fetch);
      if ('response' in outcome && (last || !passing.has(outcome.response.status))) return outcome.response;
      if ('error' in outcome && (last || request.signal.aborted)) throw outcome.error;
      const asked = 'response' in outcome ? retryAfterMs(outcome.response.headers.get('retry-after'), now()) : undefined;
      // A body that nobody reads would hold its connection.
      if ('response' in outcome) await outcome.response.body?.cancel();
      const wait = asked ?? firstDelayMs * 2 ** (attempt - 1) * random();
      await sleep(Math.min(wait, longestDelayMs), request.signal);
    }
  };
}

type Outcome = { readonly response: Response } | { readonly error: unknown };

async function attemptOf(request: Request, timeoutMs: number, fetch: RetrySurroundings['fetch']): Promise<Outcome> {
  const aborter = new AbortController();
  const { pathname } = new URL(request.url);
  const silence = new Error(`${request.method} ${pathname} was not answered within ${timeoutMs} ms (retry.timeoutMs).`);
  const timer = setTimeout(() => aborter.abort(silence), timeoutMs);
  try {
    return { response: await fetch(new Request(request, { signal: AbortSignal.any([request.signal, aborter.signal]) })) };
  } catch (error) {
    return { error };
  } finally {
    // What has begun to answer may take its time: an export is long.
    clearTimeout(timer);
  }
}

/** Seconds, or an HTTP date. Undefined when it says nothing. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** @throws the signal's reason, as soon as it is aborted */
export function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
