export interface RetryOptions {
  /** Tries of one call, the first one counted. Default 4. */
  readonly attempts?: number;
  /** Before the second try, at most; doubled for each one after. Default 500. */
  readonly firstDelayMs?: number;
  /** No wait is longer, whatever the server asks for. Default 60 000. */
  readonly longestDelayMs?: number;
}

/** What the retries take from their surroundings. */
export interface RetrySurroundings {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/**
 * `fetch` that tries again: after a broken connection, 408, 425, 429 and 5xx that may pass; a call that changes something only if it
 * carries an `Idempotency-Key`. Waits for what `Retry-After` asks, else a random part of a delay that doubles: clients that failed together
 * do not come back together.
 */
export function retryingFetch(
  options: RetryOptions,
  { fetch, sleep, now, random }: RetrySurroundings,
): (request: Request) => Promise<Response> {
  const { attempts = 4, firstDelayMs = 500, longestDelayMs = 60_000 } = options;
  return async (request) => {
    const mayRepeat = repeatable.has(request.method) || request.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt++) {
      const last = !mayRepeat || attempt >= attempts;
      const outcome = await attemptOf(request, last, fetch);
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

async function attemptOf(request: Request, last: boolean, fetch: RetrySurroundings['fetch']): Promise<Outcome> {
  try {
    return { response: await fetch(last ? request : request.clone()) };
  } catch (error) {
    return { error };
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
