import { createHash } from 'node:crypto';
import {
  type JudgedCandidate,
  type PriorityLists,
  RESOLVER_VERSION,
  SERIES_SPAN_S,
  type SourceCandidate,
  bloodPressureParts,
  canonicalJson,
  closesAt,
  dailyMetrics,
  resolveDaily,
  resolveMeasurements,
  resolveSeries,
} from '@tributary/domain';
import type {
  CandidateRow,
  DailyCandidateRow,
  MeasurementCandidateRow,
  Resolution,
  ResolvedKey,
  ResolvedRow,
  ResolvedState,
  SeriesCandidateRow,
  SourceRef,
} from '@tributary/storage';

/** After this long a lead that has lasted is looked at once more, when nothing else has made us look. */
const LEAD_LASTS_MS = 15 * 60_000;

export interface Judging {
  readonly lists: PriorityLists;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The lists changed, not the sources: what they prefer counts at once. */
  readonly renewed: boolean;
}

/** What an evaluation shows. */
export interface Shown {
  readonly resolution: Resolution;
  /** What a change of is a change of what customers see: the picked row's revision, and what else is shown with it. */
  readonly content: unknown;
  readonly judgeAgainMs?: number;
}

/** One value of a day (contract §6.2, rules 1, 2, 4 and 7). Never a sum over sources. */
export function judgeDaily(
  metric: string,
  rows: readonly DailyCandidateRow[],
  before: ResolvedState | undefined,
  { lists, now, renewed, localDate }: Judging & { readonly localDate: string },
): Shown {
  const refs = refsOf(rows);
  const held = before === undefined || before.deleted || renewed ? undefined : before.resolution;
  const kind = (dailyMetrics as Readonly<Record<string, { readonly kind: string }>>)[metric]?.kind;
  const { picked, rule, challenger, candidates } = resolveDaily(rows.map(candidateOf), {
    metric,
    kind: kind === 'daily_total' ? 'total' : 'summary',
    lists,
    dayOpen: now < dayEnds(localDate, rows),
    before: held && { picked: keyOf(held.picked), challenger: keyOf(held.challenger) },
  });
  return {
    resolution: {
      picked: refs.of(picked),
      rule,
      candidates: refs.judged(candidates),
      challenger: refs.of(challenger),
      resolverVersion: RESOLVER_VERSION,
    },
    content: refs.revisionOf(picked),
    ...(rule === 'hysteresis' && { judgeAgainMs: LEAD_LASTS_MS }),
  };
}

export function judgeMeasurements(metric: string, rows: readonly MeasurementCandidateRow[], { lists }: Judging): Shown {
  const refs = refsOf(rows);
  const { picked, candidates } = resolveMeasurements(
    rows.map((row) => ({ ...candidateOf(row), at: row.measuredAt.getTime(), reading: readingOf(row) })),
    metric,
    lists,
  );
  return {
    resolution: {
      picked: refs.of(picked),
      rule: picked === undefined ? 'nothing' : 'latest',
      candidates: refs.judged(candidates),
      challenger: null,
      resolverVersion: RESOLVER_VERSION,
    },
    content: refs.revisionOf(picked),
  };
}

export function judgeSeries(metric: string, rows: readonly SeriesCandidateRow[], { lists }: Judging): Shown {
  const refs = refsOf(rows);
  const resolved = resolveSeries(
    rows.map((row) => ({ ...candidateOf(row), spans: row.spans, intervalS: row.intervalS ?? undefined })),
    metric,
    lists,
  );
  const runs: { from: number; to: number; key: string }[] = [];
  for (const { span, picked } of resolved.spans) {
    const last = runs.at(-1);
    const to = span + SERIES_SPAN_S * 1000;
    // A run may reach over time in which nobody has samples: nothing is taken from there.
    if (last?.key === picked) last.to = to;
    else runs.push({ from: span, to, key: picked });
  }
  const spans = runs.map(({ from, to, key }) => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    picked: refs.of(key) as SourceRef,
  }));
  return {
    resolution: {
      picked: refs.of(resolved.picked),
      rule: resolved.picked === undefined ? 'nothing' : 'per_span',
      candidates: refs.judged(resolved.candidates),
      challenger: null,
      spans,
      resolverVersion: RESOLVER_VERSION,
    },
    content: { spans, revisions: [...new Set(runs.map(({ key }) => key))].sort().map((key) => [key, refs.revisionOf(key)]) },
  };
}

/** What becomes of a row of the view; undefined: nothing. Revisions are drawn afterwards, for those with a change. */
export function resolvedRow(
  key: ResolvedKey,
  { resolution, content, judgeAgainMs }: Shown,
  before: ResolvedState | undefined,
  renewed: boolean,
): ResolvedRow | undefined {
  const deleted = resolution.picked === null;
  if (deleted && (before === undefined || before.deleted)) return undefined;
  const contentHash = createHash('sha256')
    .update(canonicalJson({ picked: resolution.picked, content }))
    .digest();
  const row = { ...keyOnly(key), resolution, contentHash, deleted, judgeAgainMs };
  if (before === undefined) return { ...row, change: 'created', revision: 0 };
  if (before.deleted) return { ...row, change: 'restored', revision: 0 };
  if (deleted) return { ...row, change: 'deleted', revision: 0 };
  if (!before.contentHash.equals(contentHash)) return { ...row, change: renewed ? 're_resolved' : 'updated', revision: 0 };
  const asItWas = canonicalJson(before.resolution) === canonicalJson(resolution) && judgeAgainMs === undefined && !before.waits;
  return asItWas ? undefined : { ...row, change: undefined, revision: before.revision };
}

function keyOnly({ userId, kind, metric, localDate, item }: ResolvedKey): ResolvedKey {
  return { userId, kind, metric, localDate, item };
}

export function candidateOf(row: CandidateRow): SourceCandidate {
  return {
    key: keyOf(row),
    sourceId: row.sourceId,
    sourceType: row.source.type,
    provider: row.provider,
    originProvider: row.source.originProvider ?? undefined,
    coverage: row.coverage ?? undefined,
  };
}

/** Names a source's row among those of its user and metric. */
export function keyOf(ref: SourceRef): string;
export function keyOf(ref: SourceRef | null): string | undefined;
export function keyOf(ref: SourceRef | null): string | undefined {
  return ref === null ? undefined : [ref.provider, ref.sourceId, ...(ref.recordId === null ? [] : [ref.recordId])].join('/');
}

/** From keys back to what they name. */
export function refsOf(rows: readonly CandidateRow[]) {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const of = (key: string | undefined): SourceRef | null => {
    const row = byKey.get(key ?? '');
    return row === undefined ? null : { provider: row.provider, sourceId: row.sourceId, recordId: row.recordId };
  };
  return {
    of,
    revisionOf: (key: string | undefined): number | null => byKey.get(key ?? '')?.revision ?? null,
    judged: (candidates: readonly JudgedCandidate[]): Resolution['candidates'] =>
      candidates.map(({ key, skipped, echoOf }) => ({ ...(of(key) as SourceRef), skipped: skipped ?? null, echoOf: of(echoOf) })),
  };
}

/** Where the day ends last, of all places that a source was at. */
function dayEnds(localDate: string, rows: readonly CandidateRow[]): number {
  const offsets = rows.flatMap(({ utcOffsetS }) => (utcOffsetS === null ? [] : [utcOffsetS]));
  return closesAt(localDate, offsets.length === 0 ? undefined : Math.min(...offsets), 0);
}

function readingOf({ value, parts }: MeasurementCandidateRow): number[] {
  if (parts === null) return [value ?? 0];
  return (Object.keys(bloodPressureParts) as (keyof typeof bloodPressureParts)[]).map((part) => parts[part] ?? -1);
}
