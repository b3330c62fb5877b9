import type { HealthRecord } from '@tributary/domain';
import type { ReadAt } from '../date-fields.js';
import type { DocumentCollection } from './collections.js';
import { activityRecords, readinessRecords, sleepScoreRecords, spo2Records, vo2MaxRecords } from './daily.js';
import { sleepRecords } from './sleep.js';
import { workoutRecords } from './workouts.js';

type ToRecords = (value: unknown, at: string, read: ReadAt) => HealthRecord[];

const byCollection: Readonly<Record<DocumentCollection, ToRecords>> = {
  daily_activity: activityRecords,
  sleep: sleepRecords,
  daily_sleep: sleepScoreRecords,
  daily_readiness: readinessRecords,
  daily_spo2: spo2Records,
  vo2_max: vo2MaxRecords,
  workout: workoutRecords,
};

/**
 * One document to records, in canonical units, rounded to what counts as a change.
 * @param at path of the document in its answer, ending in a dot or empty.
 * @throws Drift naming the path.
 */
export function toRecords(collection: DocumentCollection, value: unknown, at: string, read: ReadAt): HealthRecord[] {
  return byCollection[collection](value, at, read);
}
