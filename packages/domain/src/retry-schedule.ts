/**
 * Seconds before each attempt, counted from the end of the one before: eight attempts, 33.6 h in all. A receiver that is down from
 * Friday 22:00 to Sunday 07:00 loses nothing.
 */
export const defaultScheduleS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 57_600] as const;

/** Every wait is stretched or cut by up to a tenth, so that what failed together does not return together. */
const JITTER = 0.1;
/** The longest pause that an endpoint can ask for. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

export interface FailedAttempt {
  /** Attempts made so far, this one included. */
  readonly attempts: number;
  /** The endpoint's own schedule; undefined: {@link defaultScheduleS}. */
  readonly scheduleS: readonly number[] | undefined;
  /** How long the endpoint asked us to wait (Retry-After); undefined when it did not. */
  readonly askedToWaitMs: number | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

/**
 * When to try again. An endpoint that asks for a pause gets at least that pause, never a shorter one.
 * @returns epoch milliseconds, or undefined when that was the last attempt.
 */
export function nextAttemptAt({ attempts, scheduleS, askedToWaitMs, random }: FailedAttempt, now: number): number | undefined {
  const stepS = (scheduleS ?? defaultScheduleS)[attempts];
  if (stepS === undefined) return undefined;
  const scheduledMs = stepS * 1_000 * (1 - JITTER + 2 * JITTER * random);
  return Math.round(now + Math.max(scheduledMs, Math.min(askedToWaitMs ?? 0, LONGEST_PAUSE_MS)));
}
