import { z } from 'zod';
import { idOf, instant } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

const bucket = z.enum(['transient', 'drift', 'unresolvable']);

export const deadLetter = z
  .object({
    id: idOf('dl'),
    provider: z.string(),
    providerAppId: z.string(),
    userId: z.string().nullable().describe('Who looks at a wrong day; null when the delivery could not be read at all.'),
    connectionId: z.string().nullable(),
    collection: z.string().nullable(),
    window: z.object({ kind: z.enum(['object', 'days', 'instants']), start: z.string(), end: z.string() }).nullable(),
    bucket,
    code: z.string(),
    detail: z.string().describe('Where the fault is; never a value.'),
    openedAt: instant(),
    closedAt: instant().nullable(),
    closeReason: z.string().nullable(),
  })
  .meta({ id: 'DeadLetter' });

export const deadLetterPage = pageOf(deadLetter).meta({ id: 'DeadLetterPage' });

export const deadLetterQuery = z.strictObject({
  state: z.enum(['open', 'closed', 'all']).default('open'),
  bucket: bucket.optional(),
  userId: idOf('usr').optional(),
  ...pageFields,
});

export const deadLetterSummary = z
  .object({
    usersAffected: z.int().describe('How many people look at a wrong day.'),
    open: z.int(),
    byBucket: z.object({ transient: z.int(), drift: z.int(), unresolvable: z.int() }),
  })
  .meta({ id: 'DeadLetterSummary' });
