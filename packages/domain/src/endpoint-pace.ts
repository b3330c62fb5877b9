/** How fast an endpoint is sent to, learned from its answers. Times in epoch milliseconds. */
export interface EndpointPace {
  /** Requests at the same moment, rounded down; from {@link paceRule}.least to .most. */
  readonly concurrency: number;
  /** Attempts before this moment say nothing new: the concurrency was lowered for them. */
  readonly loweredAt: number;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** How often in a row it was left to rest. */
  readonly rests: number;
  /** Nothing is begun before; undefined: it does not rest. */
  readonly restsUntil: number | undefined;
}

/** What one attempt says of the pace. */
export interface PacedAttempt {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly delivered: boolean;
  /** See {@link isCongested}. */
  readonly congested: boolean;
  /** From 0 to 1. */
  readonly random: number;
}

export const paceRule = {
  most: 16,
  least: 1,
  /** Failures in a row after which an endpoint rests. */
  restsAfter: 10,
  /** The first rest; each further one is twice as long. */
  restMs: 10_000,
  longestRestMs: 600_000,
} as const;

/** Rests are stretched or cut by up to a tenth, so that endpoints of one server do not come back together. */
const JITTER = 0.1;

export const fullPace: EndpointPace = { concurrency: paceRule.most, loweredAt: 0, failures: 0, rests: 0, restsUntil: undefined };

/** The receiver, or what stands before it, had more than it could do: as opposed to an answer that would be the same if it were idle. */
export function isCongested(outcome: string, status: number | undefined): boolean {
  return outcome === 'timeout' || status === 502 || status === 504;
}

/**
 * One more success in flight for each round of successes, half of them after a sign of too much, once for all that were in flight at that
 * moment. After a run of failures it rests; the first attempt after a rest decides alone: a failure is a longer rest, a success ends it.
 */
export function paceAfter(pace: EndpointPace, attempt: PacedAttempt): EndpointPace {
  if (attempt.delivered) {
    const concurrency = Math.min(paceRule.most, pace.concurrency + 1 / pace.concurrency);
    return { ...pace, concurrency, failures: 0, rests: 0, restsUntil: undefined };
  }
  const lowers = attempt.congested && attempt.startedAt >= pace.loweredAt;
  const lowered = lowers ? { ...pace, concurrency: Math.max(paceRule.least, pace.concurrency / 2), loweredAt: attempt.endedAt } : pace;
  const failures = pace.failures + 1;
  const rests = pace.restsUntil !== undefined && attempt.startedAt < pace.restsUntil;
  // What was in flight when the rest began does not make it longer.
  if (rests || failures < paceRule.restsAfter) return { ...lowered, failures };
  const restMs = Math.min(paceRule.longestRestMs, paceRule.restMs * 2 ** Math.min(pace.rests, 30));
  const restsUntil = Math.round(attempt.endedAt + restMs * (1 - JITTER + 2 * JITTER * attempt.random));
  return { ...lowered, failures, rests: pace.rests + 1, restsUntil };
}
