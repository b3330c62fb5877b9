import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

const bucket = z
  .enum(['transient', 'drift', 'unresolvable'])
  .describe(
    '`transient`: the provider failed for hours; replay. `drift`: its answer is not of the shape that we know; read again by itself once the adapter was mended. `unresolvable`: another read would end the same way.',
  );

export const deadLetter = z
  .object({
    id: idOf('dl'),
    provider: z.string(),
    providerAppId: z.string(),
    userId: z.string().nullable().describe('Who looks at a wrong day; null when the delivery could not be read at all.'),
    connectionId: z.string().nullable(),
    collection: z.string().nullable(),
    window: z.object({ kind: z.enum(['object', 'days', 'instants', 'whole']), start: z.string(), end: z.string() }).nullable(),
    bucket,
    code: z.string(),
    detail: z.string().describe('Where the fault is; never a value.'),
    openedAt: instant(),
    replays: z.int().describe('Times that the window was opened again.'),
    replayedAt: instant().nullable(),
    closedAt: instant().nullable(),
    closeReason: z.string().nullable().describe('`refreshed`: the window could be read after all. `discarded`: somebody left it as it is.'),
  })
  .meta({ id: 'DeadLetter' });

export const deadLetterPage = pageOf(deadLetter).meta({ id: 'DeadLetterPage' });

const filterFields = {
  bucket: bucket.optional(),
  provider: text(64).optional(),
  userId: idOf('usr').optional(),
  connectionId: idOf('con').optional(),
  collection: text(64).optional().describe("The provider's name of what is read as a unit."),
  code: text(64).optional(),
};

export const deadLetterQuery = z.strictObject({
  state: z.enum(['open', 'closed', 'all']).default('open'),
  ...filterFields,
  ...pageFields,
});

export const deadLetterSummary = z
  .object({
    usersAffected: z.int().describe('How many people look at a wrong day.'),
    open: z.int(),
    byBucket: z.object({ transient: z.int(), drift: z.int(), unresolvable: z.int() }),
    groups: z
      .array(
        z.object({
          bucket,
          provider: z.string(),
          code: z.string(),
          usersAffected: z.int(),
          open: z.int(),
          oldestAt: instant(),
        }),
      )
      .describe('The largest first.'),
  })
  .meta({ id: 'DeadLetterSummary' });

export const replayWish = z
  .strictObject({
    ...filterFields,
    openedBefore: z.iso.datetime({ offset: true }).optional(),
    dryRun: z.boolean().default(false).describe('Only count.'),
  })
  .meta({ id: 'DeadLetterReplayWish' });

export const replayAnswer = z
  .object({
    dryRun: z.boolean(),
    matched: z.int().describe('Open dead letters that the filter names.'),
    replayed: z.int().describe('Whose windows wait to be read again, or would, in a dry run. They close by themselves once that succeeds.'),
    remaining: z.int().describe('Replayable, and more than one call takes: call again.'),
    left: z
      .object({
        unresolvable: z.int().describe('Never replayed: another read would end the same way.'),
        withoutWindow: z.int().describe('Deliveries that could not be read at all: there is nothing to read again.'),
        connectionEnded: z.int(),
      })
      .describe('Left as they are.'),
  })
  .meta({ id: 'DeadLetterReplay' });
