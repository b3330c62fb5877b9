import { roundTo } from './quantity.js';
import { type DailyResolution, SERIES_SPAN_S } from './resolve-sources.js';
import type { Samples } from './series.js';

/** A source's own total of a day, and its samples of what the total counts. */
export interface IntradayCandidate {
  readonly key: string;
  /** The road that it came by. Sources of one road are one ecosystem: one account, one rule by which days are cut and steps are counted. */
  readonly provider: string;
  readonly sourceType: string;
  readonly total: number;
  /** Undefined: it has none of that day. */
  readonly samples: Samples | undefined;
}

export interface IntradayQuestion {
  /** Decimal places of the metric. */
  readonly decimals: number;
  /** What stood before was computed. */
  readonly computedBefore: boolean;
}

export interface IntradayResolution {
  readonly value: number;
  /** How many quarters of an hour are of whose samples, best source first; never fewer than two sources. */
  readonly quarters: readonly { readonly key: string; readonly count: number }[];
}

const QUARTER_MS = SERIES_SPAN_S * 1000;
/** The longest civil day. Samples that reach over more were filed by different clocks, and those near midnight would count for two days. */
const LONGEST_DAY_MS = 90_000_000;
/** A series that adds up to less than this share of its source's own total was not read, or not recorded, over the whole day. */
const WHOLE_ENOUGH = 0.5;

/**
 * The total of a day from the samples of several sources of one ecosystem (contract §6.2, rule 3): of each quarter of an hour those of the
 * best source that has any there, summed. Two sources are never added within one quarter, and never two ecosystems. The ecosystem is that
 * of the source which the other rules picked, so it goes beside rule 2 and changes neither the pick nor how long a lead must last.
 *
 * A sample that reaches over the end of a quarter belongs to each in proportion. Quarters are told by the instant, so a civil day of 23 or
 * 25 hours has 92 or 100 of them. A sample of zero is a sample: somebody measured, and there was nothing.
 *
 * @returns undefined where the picked source's own total stands: a platform has merged the day, an earlier pick is held that was not
 * computed, fewer than two sources filled a quarter, any series of the ecosystem is only a part of its day, or filling the gaps would
 * leave less than the best source has by itself.
 */
export function resolveIntraday(
  { picked, rule, challenger, candidates }: DailyResolution,
  sources: readonly IntradayCandidate[],
  { decimals, computedBefore }: IntradayQuestion,
): IntradayResolution | undefined {
  if (rule !== 'priority' && !(rule === 'hysteresis' && computedBefore)) return undefined;
  const byKey = new Map(sources.map((source) => [source.key, source]));
  const ecosystem = byKey.get(picked ?? '')?.provider;
  const ranked = candidates.flatMap(({ key, skipped }) => {
    const source = byKey.get(key);
    // One that covered little of the day is best where it has samples all the same.
    return source === undefined || skipped === 'echo' || source.provider !== ecosystem || source.sourceType === 'platform_merged'
      ? []
      : [source];
  });
  // A lead that has not lasted moves no quarter yet.
  const ordered = challenger === undefined ? ranked : [...ranked].sort((a, b) => Number(b.key === picked) - Number(a.key === picked));
  const filled = ordered.flatMap((source) => {
    const { samples } = source;
    return samples === undefined || samples.values.length === 0 ? [] : [{ ...source, samples }];
  });
  const [best] = filled;
  // Without samples of the pick, all that it counted would be missing.
  if (best === undefined || !filled.some(({ key }) => key === picked)) return undefined;
  if (filled.some(({ samples, total }) => sum(samples.values) < WHOLE_ENOUGH * total)) return undefined;
  const taken = new Map<number, { readonly key: string; readonly amount: number }>();
  for (const { key, samples } of filled) {
    for (const [quarter, amount] of byQuarter(samples)) if (!taken.has(quarter)) taken.set(quarter, { key, amount });
  }
  const starts = [...taken.keys()];
  const reach = starts.reduce((last, at) => Math.max(last, at), -Infinity) - starts.reduce((first, at) => Math.min(first, at), Infinity);
  const quarters = filled
    .map(({ key }) => ({ key, count: [...taken.values()].filter((quarter) => quarter.key === key).length }))
    .filter(({ count }) => count > 0);
  const value = roundTo(sum([...taken.values()].map(({ amount }) => amount)), decimals);
  if (reach > LONGEST_DAY_MS || quarters.length < 2 || value < best.total) return undefined;
  return { value, quarters };
}

/** What a series has in each quarter that it reaches into, by the quarter's start in epoch milliseconds. */
function byQuarter({ from, offsetsS, values, intervalS }: Samples): Map<number, number> {
  const amounts = new Map<number, number>();
  const add = (quarter: number, amount: number) => amounts.set(quarter, (amounts.get(quarter) ?? 0) + amount);
  const first = Date.parse(from);
  const length = (intervalS ?? 0) * 1000;
  offsetsS.forEach((offset, index) => {
    const value = values[index] as number;
    const start = first + offset * 1000;
    const end = start + length;
    for (let quarter = quarterOf(start); quarter < end || quarter === quarterOf(start); quarter += QUARTER_MS) {
      const shared = Math.min(end, quarter + QUARTER_MS) - Math.max(start, quarter);
      add(quarter, length === 0 ? value : (value * shared) / length);
    }
  });
  return amounts;
}

function quarterOf(ms: number): number {
  return Math.floor(ms / QUARTER_MS) * QUARTER_MS;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
