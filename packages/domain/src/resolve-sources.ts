import { type PriorityLists, type SourceCandidate, byKey, byPriority, isRelayed } from './source-priority.js';

/** Raised when the rules change, so that a pick can be explained afterwards. */
export const RESOLVER_VERSION = 2;

/** A source with less than this share of what the best one saw is skipped: a watch on the table for a morning is not the day. */
const ENOUGH_COVERAGE = 0.5;

/** What a metric's day is made of: totals may come merged from a platform, summaries (a resting pulse) are one method's. */
export type DailyKind = 'total' | 'summary';

export interface DailyQuestion {
  readonly metric: string;
  readonly kind: DailyKind;
  readonly lists: PriorityLists;
  /** The day still runs: a lead must last two evaluations before it counts. */
  readonly dayOpen: boolean;
  readonly before: Pick<DailyResolution, 'picked' | 'challenger'> | undefined;
}

export interface JudgedCandidate {
  readonly key: string;
  /** Why it could not be picked; undefined when it could. */
  readonly skipped: 'echo' | 'not_merged' | 'low_coverage' | 'other_interval' | undefined;
  /** The row that it repeats: one that came by its writer's own road, or a measurement that is the same reading. */
  readonly echoOf: string | undefined;
}

export interface DailyResolution {
  /** Key of the one row that stands for the day; undefined when there is none. */
  readonly picked: string | undefined;
  readonly rule: 'platform_merged' | 'priority' | 'hysteresis' | 'nothing';
  /** Whom the rules would have picked, had its lead lasted. */
  readonly challenger: string | undefined;
  /** Best first. */
  readonly candidates: readonly JudgedCandidate[];
  readonly resolverVersion: number;
}

/** One row for a metric's day (contract §6.2, rules 1, 2, 4 and 7). Live rows only; their order does not matter. */
export function resolveDaily(sources: readonly SourceCandidate[], question: DailyQuestion): DailyResolution {
  const ranked = ranking(sources, question.metric, question.lists);
  const merged = question.kind === 'total' && ranked.some((source) => isMerged(source) && echoOf(source, ranked) === undefined);
  const direct = ranked.filter((source) => echoOf(source, ranked) === undefined);
  const best = Math.max(0, ...direct.map(({ coverage }) => coverage ?? 0));
  const candidates = ranked.map((source): JudgedCandidate => {
    const echo = echoOf(source, ranked);
    const skipped =
      echo !== undefined
        ? 'echo'
        : merged
          ? isMerged(source)
            ? undefined
            : 'not_merged'
          : question.kind === 'total' && source.coverage !== undefined && source.coverage < ENOUGH_COVERAGE * best
            ? 'low_coverage'
            : undefined;
    return { key: source.key, skipped, echoOf: echo };
  });
  return { ...pick(candidates, merged, question), candidates, resolverVersion: RESOLVER_VERSION };
}

function pick(
  candidates: readonly JudgedCandidate[],
  merged: boolean,
  { dayOpen, before }: DailyQuestion,
): Pick<DailyResolution, 'picked' | 'rule' | 'challenger'> {
  const first = candidates.find(({ skipped }) => skipped === undefined)?.key;
  if (first === undefined) return { picked: undefined, rule: 'nothing', challenger: undefined };
  const rule = merged ? 'platform_merged' : 'priority';
  const held = before?.picked;
  // What is gone, or is only an echo by now, is not held on to.
  const stands = candidates.some(({ key, skipped }) => key === held && skipped !== 'echo');
  if (!dayOpen || held === undefined || held === first || !stands || before?.challenger === first) {
    return { picked: first, rule, challenger: undefined };
  }
  return { picked: held, rule: 'hysteresis', challenger: first };
}

/** Samples of a series are picked by spans of this length, and not one by one. */
export const SERIES_SPAN_S = 900;

/** Samples of a series in one span of the day, by source. */
export interface SeriesCandidate extends SourceCandidate {
  /** Starts of the spans in which it has samples, epoch milliseconds. */
  readonly spans: readonly number[];
  /** What each sample counts for; undefined for samples of an instant. */
  readonly intervalS: number | undefined;
}

export interface SeriesResolution {
  /** For every span that somebody has samples of, whose are taken: the best source that is not empty there. In the order of time. */
  readonly spans: readonly { readonly span: number; readonly picked: string }[];
  /** Whose samples stand for most of the day; undefined when nobody has any. */
  readonly picked: string | undefined;
  /** Best first. */
  readonly candidates: readonly JudgedCandidate[];
}

/** Sources whose samples count for other lengths of time than the best one's are left out: a day of both could not be read. */
export function resolveSeries(sources: readonly SeriesCandidate[], metric: string, lists: PriorityLists): SeriesResolution {
  const ranked = ranking(sources, metric, lists);
  const best = ranked.find((source) => source.spans.length > 0 && echoOf(source, ranked) === undefined);
  const candidates = ranked.map((source): JudgedCandidate => {
    const echo = echoOf(source, ranked);
    const other = best !== undefined && source.intervalS !== best.intervalS;
    return { key: source.key, echoOf: echo, skipped: echo !== undefined ? 'echo' : other ? 'other_interval' : undefined };
  });
  const bySpan = new Map<number, string>();
  const counts = new Map<string, number>();
  ranked.forEach(({ key, spans }, rank) => {
    if (candidates[rank]?.skipped !== undefined) return;
    for (const span of spans) {
      if (bySpan.has(span)) continue;
      bySpan.set(span, key);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  });
  // The first of those that have as many is the better one: they were counted in the order of their rank.
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  const spans = [...bySpan].sort(([a], [b]) => a - b).map(([span, key]) => ({ span, picked: key }));
  return { spans, picked: most?.[0], candidates };
}

export interface MeasuredCandidate extends SourceCandidate {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The value, or its parts in a fixed order. */
  readonly reading: readonly number[];
}

export interface MeasurementResolution {
  readonly picked: string | undefined;
  /** Best first. */
  readonly candidates: readonly JudgedCandidate[];
}

/** Two rows of two roads that are this near in time and in value are one reading: platforms round, convert, and cut seconds off. */
const SAME_READING_MS = 120_000;
const SAME_READING = 0.002;

/**
 * Of spot measurements all are kept; the one that stands for the day is the latest, and the better source where two are as late. The
 * same reading by other roads (a scale's own, a platform's copy of it, and the copy of that copy) counts once, as its best road has it.
 */
export function resolveMeasurements(measured: readonly MeasuredCandidate[], metric: string, lists: PriorityLists): MeasurementResolution {
  const better = byPriority(metric, lists);
  const ranked = [...measured].sort((a, b) => Number(isRelayed(a)) - Number(isRelayed(b)) || better(a, b) || byKey(a, b));
  const originals: MeasuredCandidate[] = [];
  const candidates = ranked.map((one): JudgedCandidate => {
    const original = originals.find((other) => other.provider !== one.provider && isSameReading(other, one));
    if (original === undefined) originals.push(one);
    return { key: one.key, skipped: original && 'echo', echoOf: original?.key };
  });
  const [latest] = [...originals].sort((a, b) => b.at - a.at || better(a, b) || byKey(a, b));
  return { picked: latest?.key, candidates };
}

function isSameReading(a: MeasuredCandidate, b: MeasuredCandidate): boolean {
  return (
    Math.abs(a.at - b.at) <= SAME_READING_MS &&
    a.reading.length === b.reading.length &&
    a.reading.every((value, part) => {
      const other = b.reading[part] as number;
      return Math.abs(value - other) <= SAME_READING * Math.max(Math.abs(value), Math.abs(other));
    })
  );
}

function ranking<S extends SourceCandidate>(sources: readonly S[], metric: string, lists: PriorityLists): S[] {
  const better = byPriority(metric, lists);
  return [...sources].sort((a, b) => better(a, b) || byKey(a, b));
}

function isMerged({ sourceType }: SourceCandidate): boolean {
  return sourceType === 'platform_merged';
}

/**
 * The row that this one is an echo of: one that came by the writer's own road. While that road has nothing for the day, a relayed row is
 * better than none.
 */
function echoOf(source: SourceCandidate, ranked: readonly SourceCandidate[]): string | undefined {
  return isRelayed(source) ? ranked.find((other) => other.provider === source.originProvider && !isRelayed(other))?.key : undefined;
}
