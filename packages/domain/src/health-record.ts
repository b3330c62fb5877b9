import type { MeasurementRecord } from './measurement.js';
import type { DailyRecord, SleepRecord } from './record.js';
import type { SeriesRecord } from './series.js';
import type { WorkoutRecord } from './workout.js';

/** A document that exists at the provider but says that there is nothing any more (Oura sleep of type `deleted`). */
export interface DeletedRecord {
  readonly kind: 'deleted';
  readonly providerRecordId: string;
}

/** A datum that becomes a row. */
export type StoredRecord = DailyRecord | SleepRecord | WorkoutRecord | MeasurementRecord | SeriesRecord;

/** One normalised datum. */
export type HealthRecord = StoredRecord | DeletedRecord;
