import { dailyMetrics, measurementMetrics, seriesMetrics } from '@tributary/domain';
import type { ShownKey } from '@tributary/storage';
import { z } from 'zod';
import { civilDate, idOf, text } from '../answers/fields.js';
import { dailyValue, measurement, minRevisionField, series, sleepSession, workout } from './record.js';

const names = <M extends Record<string, unknown>>(metrics: M) => z.enum(Object.keys(metrics) as [keyof M & string]);

const whose = {
  user: idOf('usr').describe('Our id of the user.'),
  provider: text(64),
  sourceId: text(255).describe('`source.id` of the record.'),
};
const recordId = text(1_024).describe('`recordId` of the record.');

const dailyKey = z.strictObject({ kind: z.literal('daily'), ...whose, metric: names(dailyMetrics), localDate: civilDate() });
const sleepKey = z.strictObject({ kind: z.literal('sleep'), ...whose, recordId });
const workoutKey = z.strictObject({ kind: z.literal('workout'), ...whose, recordId });
const measurementKey = z.strictObject({
  kind: z.literal('measurement'),
  ...whose,
  metric: z.enum(['blood_pressure', ...(Object.keys(measurementMetrics) as (keyof typeof measurementMetrics)[])]),
  recordId,
});
const seriesKey = z
  .strictObject({
    kind: z.literal('series'),
    ...whose,
    metric: names(seriesMetrics),
    localDate: civilDate().optional().describe('The day; or else `workoutId`.'),
    workoutId: text(255).optional().describe('Samples of that workout.'),
  })
  .refine((key) => (key.localDate === undefined) !== (key.workoutId === undefined), {
    path: ['localDate'],
    message: 'one of localDate and workoutId is needed',
  });

/** What names one record: the fields of its key, by kind. */
export const recordKey = z
  .discriminatedUnion('kind', [dailyKey, sleepKey, workoutKey, measurementKey, seriesKey])
  .meta({ id: 'RecordKey' });
export type RecordKey = z.infer<typeof recordKey>;

/** The same as fields of a query: flat, and then checked as a key. */
export const recordQuery = z.strictObject({
  kind: z.enum(['daily', 'sleep', 'workout', 'measurement', 'series']),
  ...whose,
  metric: text(64).optional().describe('Of daily values, measurements and series theirs.'),
  localDate: civilDate().optional().describe('Of daily values and series their day.'),
  recordId: recordId.optional(),
  workoutId: text(255).optional().describe('Of samples of a workout: which.'),
  ...minRevisionField,
});

export const anyRecord = z.union([dailyValue, sleepSession, workout, measurement, series]).meta({ id: 'Record' });

export const MAX_KEYS = 100;
export const batchRequest = z
  .strictObject({
    keys: z.array(recordKey).min(1).max(MAX_KEYS).describe('Those to read; the answer has them in the same order.'),
    minRevision: z.int().min(0).optional().describe('Answer only with what is at least as new as this revision; else 425.'),
  })
  .meta({ id: 'RecordBatchRequest' });

export const batchAnswer = z
  .object({
    data: z.array(
      z.object({
        key: recordKey,
        record: anyRecord.nullable().describe('Null: there is none, or it was deleted.'),
      }),
    ),
  })
  .meta({ id: 'RecordBatch' });

/** As the tables name it. */
export function shownKey(key: RecordKey): ShownKey {
  const { user: userId, provider, sourceId } = key;
  const same = { userId, provider, sourceId };
  switch (key.kind) {
    case 'daily':
      return { ...same, metric: key.metric, item: key.localDate };
    case 'sleep':
    case 'workout':
      return { ...same, metric: key.kind, item: key.recordId };
    case 'measurement':
      return { ...same, metric: key.metric, item: key.recordId };
    case 'series':
      return { ...same, metric: key.metric, item: key.workoutId ?? (key.localDate as string) };
  }
}
