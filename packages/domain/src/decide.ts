import { type Doubt, type HeldState, type Observation, compareFreshness } from './observation.js';
import type { Change } from './record.js';
import { versionFromMs } from './version.js';

/** A read that is wished for, so that everything before it is settled. One per connection, collection and day is enough. */
export interface SettlingPull {
  /** Epoch milliseconds; it must not begin earlier. */
  readonly notBefore: number;
}

/** Rows of the decision table (contract §5.3); 0 stands outside of it: nothing is held, or nothing was shown. */
export type TableRow = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16;

interface Decided {
  readonly row: TableRow;
  /** What we hold afterwards; undefined when nothing is held. Stored also when no revision is drawn. */
  readonly next: HeldState | undefined;
  readonly settle: SettlingPull | undefined;
}

export type Decision =
  /** A new revision and an event. */
  | (Decided & {
      readonly do: 'write';
      readonly change: Change;
      readonly next: HeldState;
      readonly note: WriteNote | undefined;
    })
  /** A tombstone with a revision and an event. */
  | (Decided & { readonly do: 'remove'; readonly next: HeldState; readonly note: WriteNote | undefined })
  /** The same as is held: nobody is told. */
  | (Decided & { readonly do: 'keep' })
  /** What is held wins. */
  | (Decided & { readonly do: 'drop'; readonly why: 'stale' | 'unordered' | 'to_be_settled' | 'old_normalizer' | 'incomplete' })
  /** It must be seen once more before it counts. */
  | (Decided & { readonly do: 'confirm'; readonly why: 'regressed' | 'shrunk' | 'revived' })
  /** The value goes to and fro: somebody must look, and nobody is told until it rests. */
  | (Decided & { readonly do: 'hold' })
  /** No such value exists; the payload is put aside. */
  | (Decided & { readonly do: 'quarantine' });

/** What to count beside a write. */
export type WriteNote = 'equal_version_conflict' | 'version_regressed' | 'clock_domain_changed';

/** A clock that ran backwards is given this long to come right. */
const REGRESSED_AFTER_MS = 600_000;
/** Replicas lag by seconds; a look after this long is not at the same one by chance. */
const CONFIRM_AFTER_MS = 60_000;
const FLIP_WINDOW_MS = 86_400_000;

/**
 * The version gate with all that it knows (contract §5.2–5.3). Order comes from versions where two can be compared, else from when a state
 * can have been true; never from arrival, and never from the size of a value: steps of an open day do go down.
 *
 * Whatever it decides, a complete read that began after everything else is newer than all of it, so with the pulls that it wishes for every
 * order of arrival ends in the same state. Reads of one collection of a connection must not overlap (the lease sees to that).
 */
export function decide(held: HeldState | undefined, seen: Observation): Decision {
  if (seen.impossible) return { do: 'quarantine', row: 16, next: held, settle: undefined };
  if (seen.contentHash === undefined && seen.via === 'pull' && !seen.complete) {
    return { do: 'drop', why: 'incomplete', row: 0, next: held, settle: undefined };
  }
  if (held === undefined) {
    // A delete of what we never had: there is nothing to mark, and whoever brings it later has a settling pull to fear.
    return seen.contentHash === undefined ? { do: 'keep', row: 0, next: undefined, settle: undefined } : write(undefined, seen, { row: 0 });
  }
  if (held.deleted ? seen.contentHash === undefined : seen.contentHash === held.contentHash) return same(held, seen);
  if (!held.deleted && seen.contentHash !== undefined && isRenormalised(held, seen)) {
    return seen.normalizerVersion > held.normalizerVersion
      ? write(held, seen, { row: 14 })
      : { do: 'drop', why: 'old_normalizer', row: 14, next: held, settle: undefined };
  }
  return held.deleted ? ofTombstone(held, seen) : differs(held, seen);
}

/**
 * What we take back ourselves, whatever the provider holds: the key moved, or we may not see it any more. No doubt is possible, and what the
 * provider said of it last is kept.
 */
export function withdraw(held: HeldState, { fresh, ingestedAt }: Pick<Observation, 'fresh' | 'ingestedAt'>): Decision {
  if (held.deleted) return { do: 'keep', row: 0, next: held, settle: undefined };
  const next: HeldState = {
    ...held,
    deleted: true,
    withdrawn: true,
    version: Math.max(versionFromMs(fresh.from), held.version + 1),
    inferred: true,
    fresh: compareFreshness(fresh, held.fresh) === 'newer' ? fresh : held.fresh,
    ingestedAt: Math.max(held.ingestedAt, ingestedAt),
    unsettled: false,
    doubt: undefined,
    trail: [],
  };
  return { do: 'remove', row: 0, next, settle: undefined, note: undefined };
}

/** One pull serves all who wish for one. The earliest, since a pull that comes too soon for another wish is answered by that wish again. */
export function coalesceSettling(wishes: readonly (SettlingPull | undefined)[]): SettlingPull | undefined {
  return wishes.reduce<SettlingPull | undefined>(
    (first, wish) => (wish === undefined || (first !== undefined && first.notBefore <= wish.notBefore) ? first : wish),
    undefined,
  );
}

/** Row 1: the later interval and the higher version are kept; a doubt that was raised before it is over. */
function same(held: HeldState, seen: Observation): Decision {
  const newer = compareFreshness(seen.fresh, held.fresh) === 'newer';
  const domain = newer || held.clockDomain === seen.clockDomain ? seen : held;
  const both = held.clockDomain === seen.clockDomain && held.providerVersion !== undefined && seen.providerVersion !== undefined;
  const doubt = held.doubt !== undefined && seen.fresh.from > held.doubt.seenTo ? undefined : held.doubt;
  const next: HeldState = {
    ...held,
    normalizerVersion: Math.max(held.normalizerVersion, seen.normalizerVersion),
    inputHash: newer ? seen.inputHash : held.inputHash,
    version: Math.max(held.version, gateVersionOf(seen)),
    providerVersion: both ? Math.max(held.providerVersion, seen.providerVersion) : domain.providerVersion,
    clockDomain: domain.clockDomain,
    coverageEnd: newer ? seen.coverageEnd : maximum(held.coverageEnd, seen.coverageEnd),
    ...later(held, seen),
    ingestedAt: Math.max(held.ingestedAt, seen.ingestedAt),
    unsettled: held.unsettled && !settles(held, seen),
    doubt,
  };
  const settle = doubt !== undefined ? { notBefore: doubt.notBefore } : next.unsettled ? soon(held, seen) : undefined;
  return { do: 'keep', row: 1, next, settle };
}

/** Rows 12 and 13: what was deleted comes back only by a later version, or by two later looks. */
function ofTombstone(held: HeldState, seen: Observation): Decision {
  if (versionOrder(held, seen) === 'newer') return write(held, seen, { row: 12 });
  if (compareFreshness(seen.fresh, held.fresh) !== 'newer') return dropAndSettle(held, seen, 13, 'stale');
  if (held.withdrawn) return write(held, seen, { row: 12 });
  return whenConfirmed(held, seen, 12, 'revived');
}

/** Other content than is held, of a key that is not deleted; or nothing any more. */
function differs(held: HeldState, seen: Observation): Decision {
  const order = compareFreshness(seen.fresh, held.fresh);
  const newer = order === 'newer';
  switch (versionOrder(held, seen)) {
    case 'newer':
      return write(held, seen, { row: 2 });
    case 'older':
      return newer ? whenConfirmed(held, seen, 4, 'regressed') : { do: 'drop', why: 'stale', row: 3, next: held, settle: undefined };
    case 'other-epoch':
      return dropAndSettle(held, seen, 3, 'unordered');
    case 'equal':
      if (newer) return unlessFlapping(held, seen, 5, 'equal_version_conflict');
      return order === 'older'
        ? { do: 'drop', why: 'stale', row: 6, next: held, settle: undefined }
        : dropAndSettle(held, seen, 6, 'unordered');
    case 'other-domain':
      if (newer) return write(held, seen, { row: 11, note: 'clock_domain_changed' });
      return order === 'older'
        ? { do: 'drop', why: 'stale', row: 11, next: held, settle: undefined }
        : dropAndSettle(held, seen, 11, 'unordered');
    case 'none':
      return inferred(held, seen, order);
  }
}

/** Rows 7 to 10: neither has a version. */
function inferred(held: HeldState, seen: Observation, order: 'newer' | 'older' | 'unordered'): Decision {
  if (order === 'older') return { do: 'drop', why: 'stale', row: 8, next: held, settle: undefined };
  if (order === 'newer') {
    const shrunk = seen.contentHash !== undefined && compareCoverage(seen, held) < 0;
    return shrunk ? whenConfirmed(held, seen, 10, 'shrunk') : unlessFlapping(held, seen, 7, undefined);
  }
  // Arrival decides last: of two reads that overlap the one that began later wins, though the slow one comes after it.
  const later = compareCoverage(seen, held) || seen.fresh.from - held.fresh.from || seen.ingestedAt - held.ingestedAt;
  const wins = seen.contentHash !== undefined && later > 0;
  if (!wins) return dropAndSettle(held, seen, 9, 'unordered');
  return write(held, seen, { row: 9 });
}

type VersionOrder = 'newer' | 'older' | 'equal' | 'other-epoch' | 'other-domain' | 'none';

function versionOrder(held: HeldState, seen: Observation): VersionOrder {
  if (held.providerVersion === undefined && seen.providerVersion === undefined) return 'none';
  if (held.providerVersion === undefined || seen.providerVersion === undefined || held.clockDomain !== seen.clockDomain) {
    return 'other-domain';
  }
  if (held.epochFresh !== undefined && seen.providerVersion > held.providerVersion) {
    // The clock has run backwards since: a high version may be of before.
    const since = compareFreshness(seen.fresh, held.epochFresh);
    if (since !== 'newer') return since === 'older' ? 'older' : 'other-epoch';
  }
  if (seen.providerVersion === held.providerVersion) return 'equal';
  return seen.providerVersion > held.providerVersion ? 'newer' : 'older';
}

/** Rows 4, 10 and 12: a complete read raises the doubt, a second one that shows the same, later, removes it. Pushes raise a pull. */
function whenConfirmed(held: HeldState, seen: Observation, row: 4 | 10 | 12, why: 'regressed' | 'shrunk' | 'revived'): Decision {
  if (!seen.complete) return dropAndSettle(held, seen, row, 'to_be_settled');
  const { doubt } = held;
  const again = doubt !== undefined && doubt.row === row && doubt.contentHash === seen.contentHash;
  if (again && seen.fresh.from >= doubt.notBefore) {
    return write(held, seen, { row, note: row === 4 ? 'version_regressed' : undefined });
  }
  const wait = row === 4 ? REGRESSED_AFTER_MS : CONFIRM_AFTER_MS;
  const raised: Doubt = again ? doubt : { row, contentHash: seen.contentHash, seenTo: seen.fresh.to, notBefore: seen.fresh.to + wait };
  const next: HeldState = { ...held, doubt: raised, unsettled: true };
  return { do: 'confirm', why, row, next, settle: { notBefore: raised.notBefore } };
}

/**
 * Row 15: A→B→A→B within a day and no version that tells them apart is two sources in one key, or replicas that disagree. A deletion is
 * never held back: to come from it takes two looks anyway; nor is what was pushed, since no look would ever let it go.
 */
function unlessFlapping(held: HeldState, seen: Observation, row: 5 | 7, note: WriteNote | undefined): Decision {
  const since = seen.ingestedAt - FLIP_WINDOW_MS;
  const [first, second, third] = held.trail.slice(-3);
  const flaps =
    seen.via === 'pull' &&
    seen.contentHash !== undefined &&
    first !== undefined &&
    second !== undefined &&
    third !== undefined &&
    first.at > since &&
    first.contentHash === third.contentHash &&
    second.contentHash === trailName(seen);
  if (flaps) {
    const rests = first.at + FLIP_WINDOW_MS;
    return { do: 'hold', row: 15, next: { ...held, unsettled: true }, settle: { notBefore: rests } };
  }
  return write(held, seen, { row, note });
}

interface How {
  readonly row: TableRow;
  readonly note?: WriteNote | undefined;
}

function write(held: HeldState | undefined, seen: Observation, { row, note }: How): Decision {
  const unsettled = row === 9 || (held !== undefined && held.unsettled && !settles(held, seen));
  const own = gateVersionOf(seen);
  const version = held === undefined ? own : Math.max(own, held.version + 1);
  const regressed = note === 'version_regressed';
  const told = row === 2 || row === 11;
  const mark = { contentHash: trailName(seen), at: seen.ingestedAt };
  // Stored input that is read anew is as old as it was.
  const shows = row === 14 ? later(held as HeldState, seen) : seen;
  const next: HeldState = {
    contentHash: seen.contentHash ?? (held as HeldState).contentHash,
    inputHash: seen.inputHash,
    normalizerVersion: seen.normalizerVersion,
    deleted: seen.contentHash === undefined,
    withdrawn: false,
    version,
    inferred: seen.providerVersion === undefined || version !== seen.providerVersion || row === 5,
    providerVersion: seen.providerVersion,
    clockDomain: seen.clockDomain,
    versionEpoch: (held?.versionEpoch ?? 0) + (regressed ? 1 : 0),
    epochFresh: regressed ? seen.fresh : row === 11 ? undefined : held?.epochFresh,
    coverageEnd: seen.coverageEnd,
    fresh: shows.fresh,
    via: shows.via,
    complete: shows.complete,
    ingestedAt: seen.ingestedAt,
    unsettled,
    doubt: undefined,
    trail: held === undefined || told || regressed ? [mark] : [...held.trail, mark].slice(-3),
  };
  const settle = unsettled ? soon(held, seen) : undefined;
  if (next.deleted) return { do: 'remove', row, next, settle, note };
  const change = row === 14 ? 'renormalized' : held === undefined ? 'created' : held.deleted ? 'restored' : 'updated';
  return { do: 'write', change, row, next, settle, note };
}

function dropAndSettle(held: HeldState, seen: Observation, row: TableRow, why: 'stale' | 'unordered' | 'to_be_settled'): Decision {
  return { do: 'drop', why, row, next: { ...held, unsettled: true }, settle: soon(held, seen) };
}

/** A pull that begins after all that is known of. */
function soon(held: HeldState | undefined, seen: Observation): SettlingPull {
  return { notBefore: Math.max(seen.ingestedAt, seen.fresh.to, held?.fresh.to ?? 0) + 1 };
}

function settles(held: HeldState, seen: Observation): boolean {
  return seen.complete && compareFreshness(seen.fresh, held.fresh) === 'newer';
}

function later(held: HeldState, seen: Observation): Pick<HeldState, 'fresh' | 'via' | 'complete'> {
  const isLater = seen.fresh.from > held.fresh.from || (seen.fresh.from === held.fresh.from && seen.fresh.to > held.fresh.to);
  const { fresh, via, complete } = isLater ? seen : held;
  return { fresh, via, complete };
}

function isRenormalised(held: HeldState, seen: Observation): boolean {
  return held.inputHash !== undefined && held.inputHash === seen.inputHash && held.normalizerVersion !== seen.normalizerVersion;
}

/** Where the provider has no version, the time since when it can have been true stands in. */
function gateVersionOf(seen: Observation): number {
  return seen.providerVersion ?? versionFromMs(seen.fresh.from);
}

/** Not known on either side counts as equal. */
function compareCoverage(seen: Observation, held: HeldState): number {
  return seen.coverageEnd === undefined || held.coverageEnd === undefined ? 0 : seen.coverageEnd - held.coverageEnd;
}

/** Three such names are kept for each key, so they are short; 64 bits tell a handful of contents apart. */
function trailName(seen: Observation): string {
  return seen.contentHash?.slice(0, 16) ?? 'nothing';
}

function maximum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
