import type { Samples } from '@tributary/domain';

/** A count over a stretch of time. */
export interface Counted {
  /** Epoch milliseconds of its beginning. */
  readonly ms: number;
  readonly durationS: number;
  readonly value: number;
}

/** Lengths that a series of counts may have, the finest first: by the minute, or by the quarter of an hour. */
const LENGTHS_S = [60, 900] as const;

/**
 * Counts as one series of equal stretches, each on a whole minute or quarter of an hour: providers cut theirs anew, and would otherwise make a
 * new series of the same steps. A count stands where it began, also one that goes over the end of its day. undefined when there are none, or
 * some are longer than a quarter of an hour: nobody knows when in it the steps were taken.
 */
export function countsSeries(counts: readonly Counted[]): Samples | undefined {
  const longest = counts.reduce((most, { durationS }) => Math.max(most, durationS), 0);
  const lengthS = LENGTHS_S.find((length) => longest <= length);
  if (counts.length === 0 || lengthS === undefined) return undefined;
  const sums = new Map<number, number>();
  for (const { ms, value } of counts) {
    const start = Math.floor(ms / 1000 / lengthS) * lengthS;
    sums.set(start, (sums.get(start) ?? 0) + value);
  }
  const starts = [...sums.keys()].sort((a, b) => a - b);
  const [from = 0] = starts;
  return {
    from: new Date(from * 1000).toISOString(),
    offsetsS: starts.map((start) => start - from),
    values: starts.map((start) => sums.get(start) ?? 0),
    intervalS: lengthS,
  };
}

/**
 * Samples of instants, in the order of time, one a second: of two of one second the later one counts. undefined when there are none.
 * @param start what the offsets are to count from, epoch milliseconds, not after any sample; the first sample unless said.
 */
export function instantsSeries(samples: readonly { readonly ms: number; readonly value: number }[], start?: number): Samples | undefined {
  const bySecond = new Map<number, number>();
  for (const { ms, value } of [...samples].sort((a, b) => a.ms - b.ms)) bySecond.set(Math.floor(ms / 1000), value);
  const [first] = bySecond.keys();
  const from = first === undefined || start === undefined ? first : Math.floor(start / 1000);
  if (from === undefined) return undefined;
  return {
    from: new Date(from * 1000).toISOString(),
    offsetsS: [...bySecond.keys()].map((second) => second - from),
    values: [...bySecond.values()],
    intervalS: undefined,
  };
}
