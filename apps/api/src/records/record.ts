import { dailyMetrics, measurementMetrics, seriesMetrics } from '@tributary/domain';
import { eventSchemas } from '@tributary/handoffs';
import { z } from 'zod';
import { civilDate, idOf, text } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';
import { resolutionField, viewField } from './resolution.js';

/** Fields of an entry that only some lists have. */
const ofSomeLists = {
  ...resolutionField,
  userId: idOf('usr').optional().describe('Whose it is; in lists of everybody only.'),
};

/** As in the event, without what only an event has. */
const daily = eventSchemas['daily.updated'];
const sleep = eventSchemas['sleep.updated'];

export const dailyValue = daily
  .omit({ user: true, change: true, view: true, links: true, changeId: true, supersedes: true })
  .extend(ofSomeLists)
  .meta({ id: 'DailyValue' });
export const dailyValuePage = pageOf(dailyValue).meta({ id: 'DailyValuePage' });
export const sleepSession = sleep
  .omit({ user: true, change: true, view: true, links: true, changeId: true, supersedes: true, previousLocalDate: true })
  .extend(ofSomeLists)
  .meta({ id: 'SleepSession' });
export const sleepSessionPage = pageOf(sleepSession).meta({ id: 'SleepSessionPage' });

export const workout = eventSchemas['workout.updated']
  .omit({ user: true, change: true, view: true, links: true, changeId: true, supersedes: true, previousLocalDate: true })
  .extend(ofSomeLists)
  .meta({ id: 'Workout' });
export const workoutPage = pageOf(workout).meta({ id: 'WorkoutPage' });
export const measurement = eventSchemas['measurement.updated']
  .omit({ user: true, change: true, view: true, links: true, changeId: true, supersedes: true, previousLocalDate: true })
  .extend(ofSomeLists)
  .meta({ id: 'Measurement' });
export const measurementPage = pageOf(measurement).meta({ id: 'MeasurementPage' });
/** What the event only points at. */
export const series = eventSchemas['series.updated']
  .omit({
    user: true,
    change: true,
    view: true,
    links: true,
    changeId: true,
    supersedes: true,
    previousLocalDate: true,
    changedFrom: true,
    changedTo: true,
  })
  .extend({
    ...ofSomeLists,
    record: z.object({
      unit: z.string().describe('UCUM.'),
      from: z.iso.datetime({ precision: 3 }).describe('What the offsets count from.'),
      offsetsS: z.array(z.int()).describe('Whole seconds after `from`, rising.'),
      values: z.array(z.number()).describe('One for each offset.'),
      intervalS: z.int().nullable().describe('How long each sample counts for; null for samples of an instant.'),
      implausible: z.boolean(),
    }),
  })
  .meta({ id: 'Series' });
export const seriesPage = pageOf(series).meta({ id: 'SeriesPage' });

export const minRevisionField = {
  minRevision: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Answer only with what is at least as new as this revision, for instance that of an event; else 425, to be asked again.'),
};

const narrow = {
  from: civilDate().optional().describe('First day, inclusive.'),
  to: civilDate().optional().describe('Last day, inclusive.'),
  provider: text(64).optional(),
  sourceId: text(255).optional(),
  ...viewField,
  ...pageFields,
  format: z
    .enum(['json', 'csv', 'ndjson'])
    .optional()
    .describe(
      '`csv` and `ndjson`: a stream of all entries from the cursor on, whatever the limit. Left out, the header `Accept` decides (`text/csv`, `application/x-ndjson`).',
    ),
  ...minRevisionField,
};

export const dailyQuery = z.strictObject({
  metric: z.enum(Object.keys(dailyMetrics) as [keyof typeof dailyMetrics]).optional(),
  ...narrow,
});
export const sessionQuery = z.strictObject(narrow);
export const measurementQuery = z.strictObject({
  metric: z.enum(['blood_pressure', ...(Object.keys(measurementMetrics) as (keyof typeof measurementMetrics)[])]).optional(),
  ...narrow,
});
export const seriesQuery = z.strictObject({
  metric: z.enum(Object.keys(seriesMetrics) as [keyof typeof seriesMetrics]).optional(),
  workoutId: text(255).optional().describe('Samples of this workout only.'),
  ...narrow,
  // A day may have ten thousand samples.
  limit: z.coerce.number().int().min(1).max(31).default(7).describe('Entries on a page.'),
});
