import { type PriorityLists, RESOLVER_VERSION, type SessionCandidate, addDays, resolveSessions } from '@tributary/domain';
import type { ResolvedRow, ResolvedState, SessionCandidateRow, SourceRef } from '@tributary/storage';
import { candidateOf, keyOf, refsOf, resolvedRow } from './plan-resolved.js';

/** A session may be filed under another day by another source. */
const NEIGHBOURS = 1;
/** As far as what stands beside it can decide what it belongs to. */
const CONTEXT = 3;

/** Days whose clusters a change on `day` can change, and days that must be known to say so. */
export function daysAround(day: string): { readonly judged: readonly string[]; readonly known: readonly string[] } {
  const around = (reach: number) => Array.from({ length: 2 * reach + 1 }, (_, n) => addDays(day, n - reach));
  return { judged: around(NEIGHBOURS), known: around(CONTEXT) };
}

export interface SessionJudging {
  readonly userId: string;
  readonly metric: 'sleep_session' | 'workout';
  readonly lists: PriorityLists;
  readonly renewed: boolean;
  /** Days whose clusters are written. */
  readonly judged: ReadonlySet<string>;
}

/**
 * Clusters of sessions that are one (contract §6.2, rule 5), filed under the day of the one that stands for it, which also names it: so
 * the same sessions make the same clusters, whichever came first.
 */
export function judgeSessions(
  rows: readonly SessionCandidateRow[],
  before: readonly ResolvedState[],
  { userId, metric, lists, renewed, judged }: SessionJudging,
): ResolvedRow[] {
  const refs = refsOf(rows);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const held = new Map(before.map((state) => [`${state.localDate} ${state.item}`, state]));
  const kept = new Set<string>();
  const written: ResolvedRow[] = [];
  const keep = (row: ResolvedRow | undefined) => {
    if (row !== undefined) written.push(row);
  };
  for (const { primary, alsoRecordedBy, echoes } of resolveSessions(rows.map(sessionOf), metric, lists)) {
    const { localDate } = byKey.get(primary) as SessionCandidateRow;
    if (!judged.has(localDate)) continue;
    const ref = (key: string) => refs.of(key) as SourceRef;
    const candidates = [
      { ...ref(primary), skipped: null, echoOf: null },
      ...alsoRecordedBy.map((key) => ({ ...ref(key), skipped: 'also_recorded' as const, echoOf: null })),
      ...echoes.map(({ key, echoOf }) => ({ ...ref(key), skipped: 'echo' as const, echoOf: ref(echoOf) })),
    ];
    const resolution = { picked: ref(primary), rule: 'cluster', candidates, challenger: null, resolverVersion: RESOLVER_VERSION } as const;
    const name = `${localDate} ${primary}`;
    kept.add(name);
    const key = { userId, kind: 'session', metric, localDate, item: primary } as const;
    const content = { revision: refs.revisionOf(primary), candidates };
    keep(resolvedRow(key, { resolution, content }, held.get(name), renewed));
  }
  for (const [name, state] of held) {
    if (kept.has(name) || !judged.has(state.localDate)) continue;
    const resolution = { picked: null, rule: 'nothing', candidates: [], challenger: null, resolverVersion: RESOLVER_VERSION } as const;
    keep(resolvedRow(state, { resolution, content: null }, state, renewed));
  }
  return written;
}

function sessionOf(row: SessionCandidateRow): SessionCandidate {
  const sport = [row.sport ?? 'other', ...(row.subSport === null ? [] : [row.subSport])].join('.');
  return {
    ...candidateOf(row),
    sport: row.kind === 'sleep' ? 'sleep' : sport,
    start: row.startedAt.getTime(),
    end: row.endedAt.getTime(),
  };
}
