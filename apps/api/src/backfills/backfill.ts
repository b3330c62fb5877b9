import { z } from 'zod';
import { civilDate, idOf, instant, text } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

/** Ten years: more than any provider shows, and a bound on how many windows one call can open. */
export const MOST_DAYS = 3_653;

export const newBackfill = z
  .strictObject({
    from: civilDate().describe('First civil day to read. Where the provider shows less, as far back as it does.'),
    to: civilDate().optional().describe('Exclusive. Left out: up to today, wherever the person is.'),
    collections: z
      .array(text(64))
      .min(1)
      .max(100)
      .optional()
      .describe("The provider's names of what is read as a unit, e.g. `daily_activity`. Left out: all that can be read by days."),
    kinds: z
      .array(z.enum(['daily', 'sleep', 'workout', 'measurement', 'series']))
      .min(1)
      .optional()
      .describe('Only collections that are about these kinds of record.'),
  })
  .meta({ id: 'NewBackfill' });

const state = z.enum(['running', 'completed', 'incomplete', 'cancelled']);

const progress = {
  days: z.object({
    total: z.int(),
    done: z.int().describe('Read whole. A window that could be read only in part is not among them.'),
    failed: z.int().describe('Given up; each window of them has a dead letter.'),
  }),
  windows: z.object({ done: z.int(), failed: z.int() }),
  records: z.int().describe('That the provider showed so far.'),
};

export const backfill = z
  .object({
    id: idOf('bf'),
    connectionId: idOf('con'),
    userId: idOf('usr'),
    provider: z.string(),
    cause: z.enum(['consent', 'request']),
    state,
    paused: z.boolean().describe('It waits until the person consents again.'),
    from: civilDate(),
    to: civilDate().describe('Exclusive.'),
    ...progress,
    days: progress.days.describe('Days of all collections together.'),
    estimatedEndAt: instant().nullable().describe('Going by how fast it went so far; null when that cannot be said.'),
    collections: z.array(
      z.object({
        collection: z.string(),
        state: z
          .enum(['running', 'done', 'not_permitted', 'failed', 'cancelled'])
          .describe(
            '`not_permitted`: the consent does not cover it, so nothing was asked for; a consent that does begins it. `failed`: given up after several windows in a row could not be read.',
          ),
        from: civilDate().describe('Where it ends: what was asked for, or where the history of the provider begins.'),
        to: civilDate().describe('Exclusive.'),
        reached: civilDate().describe('Everything from this day to `to` has been looked at. It goes backwards, the newest days first.'),
        ...progress,
      }),
    ),
    createdAt: instant(),
    endedAt: instant().nullable(),
  })
  .meta({ id: 'Backfill' });

export const backfillPage = pageOf(backfill).meta({ id: 'BackfillPage' });

export const backfillQuery = z.strictObject({ connectionId: idOf('con').optional(), state: state.optional(), ...pageFields });
