import type { SeriesMetric } from './metric.js';
import type { Dated } from './record.js';

/** Two columns of the same length, in the order of time, without two samples of one second. */
export interface Samples {
  /** RFC 3339 UTC: what the offsets count from. */
  readonly from: string;
  /** Whole seconds after `from`, rising. */
  readonly offsetsS: readonly number[];
  /** In the metric's unit. */
  readonly values: readonly number[];
  /** How long each sample counts for (steps in a minute); undefined for samples of an instant. */
  readonly intervalS: number | undefined;
}

/**
 * All samples of one metric, day and source. It replaces what was there as a whole and is never added to, so it must come from a read
 * of the whole day.
 */
export interface SeriesRecord extends Dated {
  readonly kind: 'series';
  readonly metric: SeriesMetric;
  /** The workout that the samples belong to, when the provider gives them by workout: then that workout's samples are the whole. */
  readonly workoutId: string | undefined;
  readonly samples: Samples;
}

/**
 * From where to where two states of a series differ, both ends inside, as RFC 3339 UTC; undefined when they do not. `before` undefined:
 * there was nothing.
 */
export function changedSpan(before: Samples | undefined, after: Samples): { readonly from: string; readonly to: string } | undefined {
  const [old, now] = [before ? valuesByTime(before) : new Map<number, number>(), valuesByTime(after)];
  // What each sample counts for is part of each of them.
  const sameInterval = before?.intervalS === after.intervalS;
  let from = Infinity;
  let to = -Infinity;
  const differs = (at: number) => {
    from = Math.min(from, at);
    to = Math.max(to, at);
  };
  for (const [at, value] of now) if (!sameInterval || old.get(at) !== value) differs(at);
  for (const at of old.keys()) if (!sameInterval || !now.has(at)) differs(at);
  return from > to ? undefined : { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function valuesByTime({ from, offsetsS, values }: Samples): Map<number, number> {
  const start = Date.parse(from);
  return new Map(offsetsS.map((offset, index) => [start + offset * 1000, values[index] as number]));
}
