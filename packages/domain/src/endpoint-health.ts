/** What is known of an endpoint's recent past. Epoch milliseconds. */
export interface EndpointHealth {
  /** The first failure since the last success; undefined while it is well. */
  readonly failingSince: number | undefined;
  /** Failed attempts since the last success. */
  readonly consecutiveFailures: number;
  readonly lastSuccessAt: number | undefined;
}

const DAY_MS = 86_400_000;

/** Both must hold, so that neither a busy minute nor a quiet week disables an endpoint. The published rule. */
export const disableRule = { withoutSuccessMs: 5 * DAY_MS, failures: 20, failingForMs: DAY_MS } as const;

/** Half way to that, for a warning. */
export const warnRule = { withoutSuccessMs: 2.5 * DAY_MS, failures: 10, failingForMs: DAY_MS / 2 } as const;

/** Whether an endpoint that has just failed has failed for so long that we stop sending to it. */
export function failedTooLong(health: EndpointHealth, now: number): boolean {
  return breaks(disableRule, health, now);
}

/** Whether its owner is to be warned, if that was not done since it began to fail. */
export function failedForLong(health: EndpointHealth, now: number): boolean {
  return breaks(warnRule, health, now);
}

/** When it would be disabled at the earliest if it took nothing from now on; undefined while it is well. */
export function disabledFrom({ failingSince, lastSuccessAt }: EndpointHealth): number | undefined {
  if (failingSince === undefined) return undefined;
  return Math.max((lastSuccessAt ?? failingSince) + disableRule.withoutSuccessMs, failingSince + disableRule.failingForMs);
}

function breaks(rule: typeof warnRule | typeof disableRule, health: EndpointHealth, now: number): boolean {
  const { failingSince, consecutiveFailures, lastSuccessAt } = health;
  if (failingSince === undefined) return false;
  return (
    now - (lastSuccessAt ?? failingSince) >= rule.withoutSuccessMs &&
    consecutiveFailures >= rule.failures &&
    now - failingSince >= rule.failingForMs
  );
}

/** How some attempts change an endpoint's health, so that it can be added to what others have written meanwhile. */
export interface HealthChange {
  /** The newest success among them. */
  readonly lastSuccessAt: number | undefined;
  /** The first failure after that success (or at all). */
  readonly firstFailureAt: number | undefined;
  /** Failures after that success (or at all). */
  readonly failures: number;
}

/** @param attempts in the order in which they ended. */
export function healthChange(attempts: readonly { readonly endedAt: number; readonly delivered: boolean }[]): HealthChange {
  const lastSuccess = attempts.findLastIndex((attempt) => attempt.delivered);
  const failures = attempts.slice(lastSuccess + 1);
  return { lastSuccessAt: attempts[lastSuccess]?.endedAt, firstFailureAt: failures[0]?.endedAt, failures: failures.length };
}
