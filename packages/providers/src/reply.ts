import { type FetchOutcome, retryAtOf as latestUsable } from '@tributary/domain';
import { type ProviderReply, ProviderUnreachable } from './provider.js';
import { resetAt, retryAfterAt } from './rate-headers.js';

/** A pause when a provider asks for one and does not say how long, and the longest that we believe. */
const PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** What every provider means by these statuses; undefined for 200. @param scope what a 403 lacks. @param retryAt epoch milliseconds. */
export function refusalOf(reply: ProviderReply, scope: string, retryAt: () => number): FetchOutcome | undefined {
  const { status } = reply;
  if (status === 200) return undefined;
  if (status === 401) return { is: 'unauthorised' };
  if (status === 403) return { is: 'forbidden', scope };
  if (status === 429) return { is: 'rate-limited', retryAt: retryAt() };
  if (status === 408 || status >= 500) return { is: 'transient', code: `http_${status}` };
  return { is: 'drift', detail: `status ${status}` };
}

/** The later of what `Retry-After` and `X-RateLimit-Reset` say, since either may be wrong; nonsense is passed over. */
export function retryAtOf(headers: ProviderReply['headers'], now: number): number {
  return believablePause(latestUsable([retryAfterAt(headers, now), resetAt(headers['x-ratelimit-reset'], now)], now), now);
}

/** At least a second, at most an hour, a minute where the provider says nothing. Epoch milliseconds. */
export function believablePause(at: number | undefined, now: number): number {
  return Math.min(Math.max(at ?? now + PAUSE_MS, now + 1_000), now + LONGEST_PAUSE_MS);
}

/** What an answer is whose body no parser can read: cut off, or the page of somebody in between. Another shape than ours would be JSON. */
export const NO_JSON = 'body_no_json';

/** @throws ProviderUnreachable when it was not a whole answer: it is asked for again, as nobody can mend an adapter for it. */
export function replyJson(reply: ProviderReply): unknown {
  try {
    return JSON.parse(reply.body.toString('utf8'));
  } catch (error) {
    throw new ProviderUnreachable(NO_JSON, { cause: error });
  }
}

/** The JSON object that an answer is; undefined for anything else. */
export function replyObject(reply: ProviderReply): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(reply.body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
