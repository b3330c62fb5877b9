import { z } from 'zod';
import { civilDate, idOf, text } from '../answers/fields.js';

/** As links of events have it: the fields of the record's key, and the revision. */
export const pinnedQuery = z.strictObject({
  kind: z.enum(['daily', 'sleep', 'workout', 'measurement', 'series']),
  user: idOf('usr').describe('Our id of the user.'),
  provider: text(64).optional(),
  sourceId: text(255).optional(),
  metric: text(64).optional(),
  localDate: civilDate().optional(),
  recordId: text(1_024).optional(),
  workoutId: text(255).optional(),
  revision: z.coerce.number().int().min(1).describe('Of the event.'),
  view: z.literal('resolved').optional().describe('The record stands in the resolved view.'),
});

export type PinnedQuery = z.infer<typeof pinnedQuery>;
