import type { Version } from './version.js';

/** When the state of the provider that something shows can have been true. Epoch milliseconds, both inclusive. */
export interface Freshness {
  readonly from: number;
  readonly to: number;
}

/** How much the clock of a provider may be off ours. */
const CLOCK_SLACK_MS = 60_000;

/** Of a read: from the request to the answer. */
export function freshnessOfPull(sentAt: number, answeredAt: number): Freshness {
  return { from: sentAt, to: Math.max(sentAt, answeredAt) };
}

/**
 * Of what was pushed to us. With a signed time of the event: from then, taken on a clock that is not ours. Without: a payload cannot be
 * older than its newest sample, so a stale retry is wide and not new. It ends with its arrival, which is on our clock and needs no slack:
 * with some, no read of the next minute could settle it.
 * @param eventAt signed by the provider; undefined when it gives none.
 * @param coverageEnd end of the newest sample; undefined when there is none.
 */
export function freshnessOfPush(eventAt: number | undefined, coverageEnd: number | undefined, receivedAt: number): Freshness {
  const from = eventAt === undefined ? (coverageEnd ?? 0) : eventAt - CLOCK_SLACK_MS;
  return { from: Math.min(from, receivedAt), to: receivedAt };
}

/** An order of intervals: those that overlap have none. Transitive, which "sample end, then arrival" is not. */
export function compareFreshness(seen: Freshness, held: Freshness): 'newer' | 'older' | 'unordered' {
  if (seen.from > held.to) return 'newer';
  return seen.to < held.from ? 'older' : 'unordered';
}

/** What a read or a push shows of one key. Times in epoch milliseconds. */
export interface Observation {
  /** Hash of the canonical values after rounding; undefined: there is nothing (any more). */
  readonly contentHash: string | undefined;
  /** Hash of what the provider sent, before we made something of it; undefined when it was not kept. */
  readonly inputHash: string | undefined;
  readonly normalizerVersion: number;
  /** The provider's own; undefined when it has none, and then order is inferred. */
  readonly providerVersion: Version | undefined;
  /** Whose clock made the version: versions of two domains cannot be compared. undefined exactly when the version is. */
  readonly clockDomain: string | undefined;
  /** End of the last sample; undefined when it is not known or there is nothing. */
  readonly coverageEnd: number | undefined;
  readonly fresh: Freshness;
  readonly via: 'pull' | 'push';
  /** All that there is was seen: every page of a read; of a push, that nobody can be asked for more. */
  readonly complete: boolean;
  readonly ingestedAt: number;
  /** A value is outside of the hard range. */
  readonly impossible: boolean;
}

/** What was seen once and must be seen again before it counts. */
export interface Doubt {
  /** Of the decision table. */
  readonly row: 4 | 10 | 12;
  readonly contentHash: string | undefined;
  readonly seenTo: number;
  /** The look that confirms it must not begin before. */
  readonly notBefore: number;
}

/** What we hold of one key. */
export interface HeldState {
  /** Of the live value; of the last live one where it is deleted. */
  readonly contentHash: string;
  readonly inputHash: string | undefined;
  readonly normalizerVersion: number;
  readonly deleted: boolean;
  /** Deleted by us and not by the provider (its key moved, or we may not see it): it comes back with the next look that is newer. */
  readonly withdrawn: boolean;
  /** What the gate of the statement compares: strictly higher at every write. */
  readonly version: Version;
  /** The version is ours: the provider gave none, or one that the gate would not have let through. */
  readonly inferred: boolean;
  readonly providerVersion: Version | undefined;
  readonly clockDomain: string | undefined;
  /** How often the provider's clock has run backwards. */
  readonly versionEpoch: number;
  /** Since when this epoch is: versions of before belong to another one. */
  readonly epochFresh: Freshness | undefined;
  readonly coverageEnd: number | undefined;
  readonly fresh: Freshness;
  /** Of what {@link fresh} is of. */
  readonly via: 'pull' | 'push';
  readonly complete: boolean;
  /** When it was last seen to be so. */
  readonly ingestedAt: number;
  /** A settling pull is owed; shown as provisional until it came. */
  readonly unsettled: boolean;
  readonly doubt: Doubt | undefined;
  /**
   * Contents that were held in a row without a version that told them apart, the present one last, by the first digits of their hashes;
   * for {@link Decision} `hold`.
   */
  readonly trail: readonly { readonly contentHash: string; readonly at: number }[];
}
