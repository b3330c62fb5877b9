import type { MeasurementMetric, ValueMetric } from './metric.js';
import type { Dated } from './record.js';

export interface BloodPressure {
  readonly systolic: number;
  readonly diastolic: number;
  readonly pulse: number | null;
}

interface Measured extends Dated {
  readonly kind: 'measurement';
  readonly metric: MeasurementMetric;
  /**
   * Identity of the measurement among those of its metric and source; its instant and date are attributes and may move. Usually the
   * `providerRecordId`; more where one document holds several measurements of one metric.
   */
  readonly recordId: string;
  /** RFC 3339 UTC. */
  readonly instant: string;
  /** The provider gives no time at all: instant and date are those of the read that saw the value first, and are no news by themselves. */
  readonly undated?: true;
  /** A person typed it in. */
  readonly manual: boolean;
  /** The provider does not know whose it is (a scale that several people use). */
  readonly ambiguous: boolean;
}

/** One measurement at one instant, e.g. a weighing. Values in the metric's unit. */
export type MeasurementRecord = Measured &
  (
    | { readonly metric: ValueMetric; readonly value: number; readonly parts?: undefined }
    | { readonly metric: 'blood_pressure'; readonly value?: undefined; readonly parts: BloodPressure }
  );
