import type { Change } from './record.js';
import type { Version } from './version.js';

/** One row that we hold. */
export interface HeldVersion {
  readonly version: Version;
  readonly contentHash: string;
  readonly deleted: boolean;
}

/** What a read shows now. `contentHash` undefined: that there is nothing (any more). */
export interface SeenVersion {
  readonly version: Version;
  readonly contentHash: string | undefined;
}

/**
 * - a change or `removed`: written, with a revision and an event;
 * - `confirmed`: same content seen at a newer version. The version is raised and nobody is told; otherwise a slow read that began
 *   between the two could still put an older value in the place of a newer one;
 * - `known`: nothing to do;
 * - `stale`: what we hold is newer, the incoming one loses.
 */
export type Verdict = Change | 'removed' | 'confirmed' | 'known' | 'stale';

/** The version gate: order comes from versions, never from arrival, and a value replaces, it never adds. */
export function supersede(held: HeldVersion | undefined, seen: SeenVersion): Verdict {
  if (held === undefined) return seen.contentHash === undefined ? 'known' : 'created';
  const newer = seen.version > held.version;
  const same = held.deleted ? seen.contentHash === undefined : seen.contentHash === held.contentHash;
  if (same) return newer ? 'confirmed' : 'known';
  if (!newer) return 'stale';
  if (seen.contentHash === undefined) return 'removed';
  return held.deleted ? 'restored' : 'updated';
}
