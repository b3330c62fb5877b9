import type { FetchOutcome } from '@tributary/domain';
import type { Pause } from './budget-visit.js';

/** Where nothing but the outcome of a read is known of a pause, what waited behind it comes back at this distance. */
const SPACING_MS = 1_000;

interface Paused {
  readonly outcome: FetchOutcome;
  readonly pause: Pause | undefined;
}

/**
 * What a read ended in, once it is known that calls ran out under way. Who was refused for the rate did not fail: it waits, and that costs
 * no attempt, also where an adapter took the refusal for a passing fault. Of two times the later one counts.
 * @param outcome undefined when the read could not be made.
 * @param now epoch milliseconds.
 */
export function paused(outcome: undefined, refusal: Pause, now: number): Paused;
export function paused(outcome: FetchOutcome, refusal: Pause | undefined, now: number): Paused;
export function paused(outcome: FetchOutcome | undefined, refusal: Pause | undefined, now: number): Paused {
  const asked = outcome?.is === 'rate-limited' ? outcome.retryAt : now;
  if (outcome !== undefined && outcome.is !== 'rate-limited' && outcome.is !== 'transient') return { outcome, pause: refusal };
  if (refusal === undefined && outcome?.is !== 'rate-limited') return { outcome: outcome as FetchOutcome, pause: undefined };
  const retryAt = Math.max(asked, now + (refusal?.waitMs ?? 0));
  const pause = { scope: 'app', kind: 'live', spacingMs: SPACING_MS, ...refusal, waitMs: retryAt - now } as const;
  return { outcome: { is: 'rate-limited', retryAt }, pause };
}
