import { dailyMetrics, eventTypes, measurementMetrics, seriesMetrics } from '@tributary/domain';
import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';

/** What the feed tells of; events of an endpoint are for that endpoint alone. */
const changeTypes = eventTypes.filter((type) => !type.startsWith('endpoint.'));

const metrics = [
  ...new Set([
    ...Object.keys(dailyMetrics),
    ...Object.keys(measurementMetrics),
    ...Object.keys(seriesMetrics),
    'blood_pressure',
    'sleep_session',
    'workout',
  ]),
] as [string];

export const change = z
  .object({
    id: idOf('evt').describe('The id of the event, as endpoints get it in `webhook-id`.'),
    type: z.enum(changeTypes as [(typeof changeTypes)[number]]),
    timestamp: instant().describe('When the change was committed.'),
    revision: z.int().describe('Rises from change to change. Keep a change if it is higher than what you hold for its key.'),
    data: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'As in the event of that type (see the webhooks of this document). Of a person who was erased it names the erasure alone, as its receipt did.',
      ),
  })
  .meta({ id: 'Change' });

export const changePage = z
  .object({
    data: z.array(change),
    nextCursor: z.string().describe('Never null: where to go on, now or later.'),
    hasMore: z.boolean().describe('Whether to go on at once. False: you have seen all that there is.'),
  })
  .meta({ id: 'ChangePage' });

export const changesQuery = z.strictObject({
  cursor: text(2_000).optional().describe('`nextCursor` of the answer before, unchanged. Every filter may change on the way.'),
  start: z
    .enum(['oldest', 'now'])
    .default('oldest')
    .describe('Without a cursor: from the oldest change that we keep, or from this moment on.'),
  limit: z.coerce.number().int().min(1).max(1_000).default(200).describe('Most changes in the answer.'),
  type: z
    .string()
    .max(1_000)
    .optional()
    .transform((value) => value?.split(','))
    .pipe(z.array(z.enum(changeTypes as [(typeof changeTypes)[number]])).optional())
    .describe('Only these types, separated by commas.'),
  metric: z.enum(metrics).optional().describe('Only changes of this metric.'),
  view: z
    .enum(['source', 'resolved'])
    .default('source')
    .describe(
      'Of records: what each source says, or what the resolved view shows (once an endpoint has asked for events of that view). What is about no record is told in both.',
    ),
  user: idOf('usr').optional().describe('Only changes about this person.'),
  wait: z.coerce.number().int().min(0).max(30).default(0).describe('Seconds to wait for a change when there is none yet.'),
  format: z.enum(['json', 'ndjson']).optional().describe('`ndjson`: everything up to this moment, one change a line; see the description.'),
});

export type ChangesQuery = z.infer<typeof changesQuery>;
