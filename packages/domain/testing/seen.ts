// What was seen and what is held after it, for the tests of the version gate.
import { type Decision, decide } from '../src/decide.js';
import { type HeldState, type Observation, freshnessOfPull, freshnessOfPush } from '../src/observation.js';

export const NOON = Date.parse('2026-09-15T12:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const at = (clock: string): number => Date.parse(`2026-09-15T${clock}Z`);

type Seen = Partial<Omit<Observation, 'contentHash'>> & { readonly v?: number };
/** `undefined` as content: nothing is there. */
export const observed = (contentHash: string | undefined, { v, ...rest }: Seen): Observation => ({
  contentHash,
  inputHash: undefined,
  normalizerVersion: 1,
  providerVersion: v,
  clockDomain: v === undefined ? undefined : 'provider',
  coverageEnd: undefined,
  fresh: { from: NOON, to: NOON },
  via: 'pull',
  complete: true,
  ingestedAt: rest.fresh?.to ?? NOON,
  impossible: false,
  ...rest,
});
/** A read that takes a second, begun so long after noon. */
export const pull = (contentHash: string | undefined, afterMs: number, rest: Seen = {}): Observation =>
  observed(contentHash, { fresh: freshnessOfPull(NOON + afterMs, NOON + afterMs + 1_000), ...rest });
/** A push without a signed time. */
export const push = (contentHash: string | undefined, coverageEnd: number | undefined, receivedAt: number, rest: Seen = {}): Observation =>
  observed(contentHash, { via: 'push', complete: false, coverageEnd, fresh: freshnessOfPush(undefined, coverageEnd, receivedAt), ...rest });

/** What is held after these, one after the other. */
const after = (...seen: Observation[]): HeldState | undefined =>
  seen.reduce<HeldState | undefined>((held, one) => decide(held, one).next, undefined);
export const held = (...seen: Observation[]): HeldState => after(...seen) as HeldState;
export const verdict = (before: HeldState | undefined, seen: Observation): Partial<Decision> => {
  const { do: did, row, settle } = decide(before, seen);
  return { do: did, row, settle: settle === undefined ? undefined : { notBefore: settle.notBefore } };
};
export const soonAfter = (ms: number) => ({ notBefore: ms + 1 });
