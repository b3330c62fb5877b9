import { z } from 'zod';
import { idOf } from '../answers/fields.js';

export const tenant = z
  .object({
    id: idOf('ten'),
    name: z.string(),
    createdAt: z.iso.datetime(),
    environments: z
      .array(
        z.object({
          name: z.enum(['live', 'test']),
          debounceMs: z.int().describe('How long a change waits for another before it is read.'),
          maxWaitMs: z.int().describe('How long it waits at most.'),
          sweepIntervalS: z.int().describe('How often the last days are read whether or not a webhook came.'),
          sweepDays: z.int().describe('How many days that is.'),
          backfillDays: z.int().describe('How far back a first consent reads.'),
        }),
      )
      .describe('Those that the key reaches: its own.'),
  })
  .meta({ id: 'Tenant' });
