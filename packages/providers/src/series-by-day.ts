import { type Dated, type MetricFacts, type SeriesMetric, type SeriesRecord, rangeOf, roundTo, seriesMetrics } from '@tributary/domain';

/** One sample under its day. */
export interface DaySample {
  readonly localDate: string;
  /** Epoch milliseconds; the second counts. */
  readonly ms: number;
  readonly value: number;
}

/** What a day's row has beside its samples; undefined: the day is not wanted, or was not read as a whole. */
export type DatedOf = (localDate: string, first: DaySample) => Omit<Dated, 'localDate'> | undefined;

/**
 * Samples of one metric and source to a row for each day, in the order of time. Of two of one second the last stands. What no body can have
 * is a slipped sensor and left out: the rest of the day is none the worse for it.
 */
export function seriesByDay(
  metric: SeriesMetric,
  samples: readonly DaySample[],
  datedOf: DatedOf,
  intervalS: number | undefined = undefined,
): SeriesRecord[] {
  const facts: MetricFacts = seriesMetrics[metric];
  const days = new Map<string, Map<number, DaySample>>();
  for (const sample of samples) {
    if (rangeOf(facts, sample.value) === 'impossible') continue;
    const day = days.get(sample.localDate) ?? new Map<number, DaySample>();
    day.set(Math.floor(sample.ms / 1000), sample);
    days.set(sample.localDate, day);
  }
  return [...days].flatMap(([localDate, bySecond]) => {
    const seconds = [...bySecond].sort(([a], [b]) => a - b);
    const [first] = seconds;
    const last = seconds.at(-1);
    if (first === undefined || last === undefined) return [];
    const dated = datedOf(localDate, first[1]);
    if (dated === undefined) return [];
    return [
      {
        kind: 'series',
        metric,
        workoutId: undefined,
        coverageEnd: (last[0] + (intervalS ?? 0)) * 1000,
        ...dated,
        localDate,
        samples: {
          from: new Date(first[0] * 1000).toISOString(),
          offsetsS: seconds.map(([second]) => second - first[0]),
          values: seconds.map(([, { value }]) => roundTo(value, facts.decimals)),
          intervalS,
        },
      },
    ];
  });
}
