import { overlapOf } from './rekey.js';
import { type PriorityLists, type SourceCandidate, byKey, byPriority, isRelayed } from './source-priority.js';

/** A workout or a sleep of one source. */
export interface SessionCandidate extends SourceCandidate {
  /** Our word for the sport, `running.trail`; `sleep` for a sleep. */
  readonly sport: string;
  /** Epoch milliseconds. */
  readonly start: number;
  readonly end: number;
}

/** What several sources recorded of one thing. Every row of it is kept; one stands for it. */
export interface SessionCluster {
  readonly primary: string;
  /** Others that recorded the same, best first. */
  readonly alsoRecordedBy: readonly string[];
  /** Copies of a row that came by its writer's own road. */
  readonly echoes: readonly { readonly key: string; readonly echoOf: string }[];
}

/** Of the shorter one: a night and its two halves by another device are one night. */
const ENOUGH_OVERLAP = 0.5;
const ECHO_START_MS = 120_000;
const ECHO_DURATION = 0.05;

/**
 * Clusters of sessions (contract §6.2, rule 5, and echoes). Around the best source first, and around no other than that: chains of
 * overlaps would make one workout of a whole morning. In the order of time.
 */
export function resolveSessions(sessions: readonly SessionCandidate[], metric: string, lists: PriorityLists): readonly SessionCluster[] {
  const better = byPriority(metric, lists);
  const ranked = [...sessions].sort((a, b) => better(a, b) || b.end - b.start - (a.end - a.start) || a.start - b.start || byKey(a, b));
  const echoes = new Map(ranked.map((session) => [session.key, echoOf(session, ranked)]));
  const clusters: { primary: SessionCandidate; also: string[]; echoes: { key: string; echoOf: string }[] }[] = [];
  for (const session of ranked) {
    if (echoes.get(session.key) !== undefined) continue;
    const [nearest] = clusters
      .map((cluster) => ({ cluster, overlap: overlapOf(cluster.primary, session) }))
      .filter(({ cluster, overlap }) => overlap >= ENOUGH_OVERLAP && sportsAgree(cluster.primary.sport, session.sport))
      .sort((a, b) => b.overlap - a.overlap);
    if (nearest === undefined) clusters.push({ primary: session, also: [], echoes: [] });
    else nearest.cluster.also.push(session.key);
  }
  for (const [key, original] of echoes) {
    if (original === undefined) continue;
    clusters.find(({ primary, also }) => primary.key === original || also.includes(original))?.echoes.push({ key, echoOf: original });
  }
  return clusters
    .sort((a, b) => a.primary.start - b.primary.start || better(a.primary, b.primary) || byKey(a.primary, b.primary))
    .map((cluster) => ({ primary: cluster.primary.key, alsoRecordedBy: cluster.also, echoes: cluster.echoes }));
}

/** Same sport, or one of them a kind of the other, or one that does not know. A sleep agrees with sleeps only. */
export function sportsAgree(a: string, b: string): boolean {
  if (a === 'sleep' || b === 'sleep') return a === b;
  return a === 'other' || b === 'other' || a.split('.')[0] === b.split('.')[0];
}

/** The row of the writer's own road that this one repeats; the nearest in time where there are several. */
function echoOf(session: SessionCandidate, ranked: readonly SessionCandidate[]): string | undefined {
  if (!isRelayed(session)) return undefined;
  const length = session.end - session.start;
  const originals = ranked.filter((other) => {
    const longer = Math.max(length, other.end - other.start);
    return (
      other.provider === session.originProvider &&
      !isRelayed(other) &&
      Math.abs(other.start - session.start) <= ECHO_START_MS &&
      Math.abs(other.end - other.start - length) <= ECHO_DURATION * longer &&
      sportsAgree(other.sport, session.sport)
    );
  });
  return originals.sort((a, b) => Math.abs(a.start - session.start) - Math.abs(b.start - session.start))[0]?.key;
}
