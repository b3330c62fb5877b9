const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LONGEST_DELAY_MS = 6 * 3_600_000;

export interface CheckEnd {
  /** Failures in a row, the one that just was counted; 0 after a success. */
  readonly attempts: number;
  /** Epoch milliseconds; the first end of the subscriptions that are there. */
  readonly expiresAt: number | undefined;
}

/**
 * When an app's subscriptions are looked at again, in milliseconds from now: daily, and sooner where they end sooner; after a failure in
 * a minute, three, nine, … and at most every six hours, which is often enough in the fortnight for which an adapter renews ahead.
 * @param random from 0 to 1, for ±20 % of jitter, so that many apps are not looked at together.
 */
export function nextCheckMs({ attempts, expiresAt }: CheckEnd, now: number, random: number): number {
  const jitter = 0.8 + 0.4 * random;
  if (attempts > 0) return Math.round(Math.min(MINUTE_MS * 3 ** (attempts - 1), LONGEST_DELAY_MS) * jitter);
  const half = expiresAt === undefined ? DAY_MS : (expiresAt - now) / 2;
  return Math.round(Math.max(MINUTE_MS, Math.min(DAY_MS, half)) * jitter);
}
