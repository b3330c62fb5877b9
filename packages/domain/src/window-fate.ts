import type { FetchOutcome } from './fetch-outcome.js';
import type { NoticeKind } from './notice.js';
import type { WindowKind } from './window.js';

/** What became of a read, as far as the next step depends on it. Times in epoch milliseconds. */
export interface ReadOfWindow {
  readonly outcome: FetchOutcome;
  /** What the newest notice said; `changed` for windows of a sweep too. */
  readonly expects: NoticeKind;
  /** Only a read of one object can contradict a notice about it. */
  readonly windowKind: WindowKind;
  /** Failed tries so far, this one not counted. */
  readonly attempts: number;
  /** Times in a row that the provider showed other than the notice said, this one not counted. */
  readonly contradictions: number;
  /** The token of this read was made for it: refusing it too means the grant is over. */
  readonly freshToken: boolean;
  /** A notice that it was deleted came at some time, though not as the newest one. */
  readonly deletionTold?: boolean;
}

export type Fate =
  /** `incomplete`: written, and a person must look, since the provider holds more than we read. */
  | { readonly do: 'apply'; readonly incomplete: boolean }
  /** What we hold of the object is marked as deleted. */
  | { readonly do: 'remove' }
  /** Nothing changes: what cannot be seen was not said to be deleted, by that alone. */
  | { readonly do: 'leave' }
  | { readonly do: 'again'; readonly at: number; readonly attempts: number; readonly contradictions: number; readonly why: string }
  | { readonly do: 'refresh-token' }
  | { readonly do: 'require-reauth' }
  | { readonly do: 'bury'; readonly bucket: 'transient' | 'drift' | 'unresolvable'; readonly code: string; readonly detail: string };

/** 12 tries: after 2 s, 6 s, 18 s, … at most an hour apart, 4.6 h in all: an evening's outage at a provider loses nothing. */
export const MAX_ATTEMPTS = 12;
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 3_600_000;

/** How long a provider may take to show what it has told us. Afterwards what it shows is the truth. */
export const CONTRADICTION_DELAYS_MS = [2_000, 10_000, 30_000] as const;
/** How long one may take to show what it has told us is there: a notice outruns the side that is read, by minutes at times. */
export const ABSENCE_DELAYS_MS = [2_000, 10_000, 30_000, 120_000, 300_000] as const;

/**
 * The one place that decides what follows from a read.
 * @param random from 0 to 1, for jitter, so that what failed together does not come back together.
 */
export function fateOf(read: ReadOfWindow, now: number, random: number): Fate {
  const { outcome } = read;
  switch (outcome.is) {
    case 'records': {
      const alive = outcome.records.some((record) => record.kind !== 'deleted');
      const belied = read.windowKind === 'object' && read.expects === 'deleted' && alive;
      return (belied ? lookAgain(read, now, 'still_there') : undefined) ?? { do: 'apply', incomplete: !outcome.complete };
    }
    case 'gone':
      if (read.expects === 'deleted') return { do: 'remove' };
      if (read.deletionTold === true) return lookAgain(read, now, 'absent') ?? { do: 'remove' };
      // Made private, perhaps. What we hold stays, until a delete notice or a sweep says more.
      return lookAgain(read, now, 'absent', ABSENCE_DELAYS_MS) ?? { do: 'leave' };
    case 'not-ready':
      return lookAgain(read, now, 'not_ready') ?? failed(read, 'not_ready', { now, random });
    case 'rate-limited':
      return {
        do: 'again',
        at: Math.max(outcome.retryAt, now),
        attempts: read.attempts,
        contradictions: read.contradictions,
        why: 'rate_limited',
      };
    case 'unauthorised':
      return read.freshToken ? { do: 'require-reauth' } : { do: 'refresh-token' };
    case 'forbidden':
      // A refusal may be a fault of theirs, and what follows from a lost scope is seen by customers: so it must last.
      return refused(read, outcome.scope, { now, random });
    case 'transient':
      return failed(read, outcome.code, { now, random });
    case 'drift':
      return { do: 'bury', bucket: 'drift', code: 'drift', detail: outcome.detail };
  }
}

function lookAgain(read: ReadOfWindow, now: number, why: string, delays: readonly number[] = CONTRADICTION_DELAYS_MS): Fate | undefined {
  const delay = delays[read.contradictions];
  return delay === undefined
    ? undefined
    : { do: 'again', at: now + delay, attempts: read.attempts, contradictions: read.contradictions + 1, why };
}

function failed(read: ReadOfWindow, code: string, { now, random }: { now: number; random: number }): Fate {
  const attempts = read.attempts + 1;
  if (attempts >= MAX_ATTEMPTS) return { do: 'bury', bucket: 'transient', code, detail: `${attempts} tries` };
  return { do: 'again', at: now + retryDelayMs(attempts, random), attempts, contradictions: read.contradictions, why: code };
}

function refused(read: ReadOfWindow, scope: string, chance: { now: number; random: number }): Fate {
  const fate = failed(read, 'forbidden', chance);
  return fate.do === 'bury' ? { do: 'bury', bucket: 'unresolvable', code: 'forbidden', detail: `scope ${scope}` } : fate;
}

/** @param attempts failed ones, at least 1. Jitter is ±20 %. */
export function retryDelayMs(attempts: number, random: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 3 ** (attempts - 1), LONGEST_DELAY_MS);
  return Math.round(delay * (0.8 + 0.4 * random));
}
