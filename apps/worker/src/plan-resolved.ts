import { createHash } from 'node:crypto';
import {
  type DailyFacts,
  type DailyResolution,
  type IntradayResolution,
  type JudgedCandidate,
  type PriorityLists,
  RESOLVER_VERSION,
  SERIES_SPAN_S,
  type SourceCandidate,
  bloodPressureParts,
  canonicalJson,
  closesAt,
  dailyMetrics,
  rangeOf,
  resolveDaily,
  resolveIntraday,
  resolveMeasurements,
  resolveSeries,
  seriesOfTotals,
} from '@tributary/domain';
import type {
  CandidateRow,
  DailyCandidateRow,
  IntradayRow,
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

export interface DailyJudging extends Judging {
  readonly localDate: string;
  /** Of every source that has any; absent: none were read, as there is one source of each provider at most. */
  readonly intraday?: readonly IntradayRow[];
  /** Only samples changed. They may change a total that is computed, and are no second look at who leads. */
  readonly bySamples?: boolean | undefined;
}

/** What an evaluation shows. */
export interface Shown {
  readonly resolution: Resolution;
  /** What a change of is a change of what customers see: the picked row's revision, and what else is shown with it. */
  readonly content: unknown;
  readonly judgeAgainMs?: number;
  /** A total that is nobody's own; absent: the picked row's value is shown. */
  readonly computedValue?: number;
}

/** One value of a day (contract §6.2, rules 1 to 4 and 7). */
export function judgeDaily(
  metric: string,
  rows: readonly DailyCandidateRow[],
  before: ResolvedState | undefined,
  { lists, now, renewed, localDate, intraday = [], bySamples }: DailyJudging,
): Shown {
  const refs = refsOf(rows);
  const held = before === undefined || before.deleted || renewed ? undefined : before.resolution;
  const facts = (dailyMetrics as Readonly<Record<string, DailyFacts>>)[metric];
  const daily = resolveDaily(rows.map(candidateOf), {
    metric,
    kind: facts?.kind === 'daily_total' ? 'total' : 'summary',
    lists,
    dayOpen: now < dayEnds(localDate, rows),
    before: held && { picked: keyOf(held.picked), challenger: bySamples ? undefined : keyOf(held.challenger) },
  });
  const { picked, rule, challenger, candidates } = daily;
  const computed = facts && computedTotal(facts, rows, intraday, { daily, computedBefore: held?.derivation === 'computed' });
  const revision = refs.revisionOf(picked);
  return {
    resolution: {
      picked: refs.of(picked),
      rule: computed === undefined ? rule : 'intraday',
      ...(computed && {
        derivation: 'computed' as const,
        quarters: computed.quarters.map(({ key, count }) => ({ ...(refs.of(key) as SourceRef), count })),
      }),
      candidates: refs.judged(candidates),
      challenger: refs.of(challenger),
      resolverVersion: RESOLVER_VERSION,
    },
    // Other quarters that come to the same are other grounds, not another value.
    content: computed === undefined ? revision : { revision, value: computed.value },
    ...(computed && { computedValue: computed.value }),
    ...(rule === 'hysteresis' && { judgeAgainMs: LEAD_LASTS_MS }),
  };
}

/** The samples that a total of these rows may be computed from; undefined: none, so that no day's samples are read for nothing. */
export function seriesToRead(metric: string, rows: readonly DailyCandidateRow[]): string | undefined {
  const several = new Set(rows.map(({ provider }) => provider)).size < rows.length;
  return several ? seriesOfTotals[metric] : undefined;
}

/** Undefined: the picked row's value stands, also where the sum would be one that no source could say. */
function computedTotal(
  facts: DailyFacts,
  rows: readonly DailyCandidateRow[],
  intraday: readonly IntradayRow[],
  { daily, computedBefore }: { readonly daily: DailyResolution; readonly computedBefore: boolean },
): IntradayResolution | undefined {
  if (facts.kind !== 'daily_total' || intraday.length === 0) return undefined;
  const samples = new Map(
    intraday.map((row) => [
      keyOf(row),
      { from: row.samplesFrom.toISOString(), offsetsS: row.offsetsS, values: row.values, intervalS: row.intervalS ?? undefined },
    ]),
  );
  const sources = rows.map((row) => ({
    key: keyOf(row),
    provider: row.provider,
    sourceType: row.source.type,
    total: row.value,
    samples: samples.get(keyOf(row)),
  }));
  const computed = resolveIntraday(daily, sources, { decimals: facts.decimals, computedBefore });
  return computed === undefined || rangeOf(facts, computed.value) === 'impossible' ? undefined : computed;
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
  { resolution, content, judgeAgainMs, computedValue }: Shown,
  before: ResolvedState | undefined,
  renewed: boolean,
): ResolvedRow | undefined {
  const deleted = resolution.picked === null;
  if (deleted && (before === undefined || before.deleted)) return undefined;
  const contentHash = createHash('sha256')
    .update(canonicalJson({ picked: resolution.picked, content }))
    .digest();
  const row = { ...keyOnly(key), resolution, contentHash, deleted, judgeAgainMs, computedValue };
  if (before === undefined) return { ...row, change: 'created', revision: 0 };
  if (before.deleted) return { ...row, change: 'restored', revision: 0 };
  if (deleted) return { ...row, change: 'deleted', revision: 0, showed: before.resolution.picked ?? undefined };
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
