import { type Quota, retryAfterMs, retryAtOf } from '@tributary/domain';
import type { ProviderReply } from './provider.js';

type Headers = ProviderReply['headers'];

/** Longer than the longest window of any provider, a day: a time further ahead is a mistake of theirs, and would stop us for good. */
const LONGEST_WAIT_MS = 25 * 3_600_000;
/** Numbers above this are seconds since the epoch, not from now. */
const EPOCH_S = 1_000_000_000;

/** Nothing is said of a bucket. */
export const unsaid: Quota = { limit: undefined, remaining: undefined, resetsAt: undefined, windowMs: undefined };

/** A number that is written as digits, a point among them perhaps; undefined for all else. */
export function countOf(text: string | undefined): number | undefined {
  const digits = text?.trim();
  return digits !== undefined && /^\d{1,15}(?:\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}

/** Numbers in a list with commas, each by itself. */
export function countsOf(text: string | undefined): (number | undefined)[] {
  return text === undefined ? [] : text.split(',').map(countOf);
}

/** `Retry-After` in seconds or as a date. Epoch milliseconds; undefined where it is missing, past, nonsense or too far ahead. */
export function retryAfterAt(headers: Headers, now: number): number | undefined {
  const wait = retryAfterMs(headers['retry-after'], now);
  return wait === undefined ? undefined : believable(now + wait, now);
}

/** Seconds from now or since the epoch. Epoch milliseconds; undefined as for {@link retryAfterAt}. */
export function resetAt(text: string | undefined, now: number): number | undefined {
  const seconds = countOf(text);
  if (seconds === undefined) return undefined;
  return believable(seconds > EPOCH_S ? seconds * 1000 : now + seconds * 1000, now);
}

/** What is left of what a pair of limit and use says. */
export function leftOf(limit: number | undefined, used: number | undefined): number | undefined {
  return limit === undefined || used === undefined ? undefined : Math.max(0, limit - used);
}

/** When to come back by all that an answer says of it: the latest that can be believed. */
export function comeBackAt(headers: Headers, now: number, ...resets: readonly (number | undefined)[]): number | undefined {
  return retryAtOf([retryAfterAt(headers, now), ...resets], now);
}

function believable(at: number, now: number): number | undefined {
  return at > now && at <= now + LONGEST_WAIT_MS ? at : undefined;
}
