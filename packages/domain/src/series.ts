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
