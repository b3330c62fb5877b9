import { eventTypes } from '@tributary/domain';
import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

/** An instant as callers write it. */
const moment = () => z.iso.datetime({ offset: true });
const distinct = <T>(list: readonly T[]) => new Set(list).size === list.length;
const twice = 'names one twice';

const states = z.enum(['failed', 'cancelled', 'delivered', 'missing']);
const types = z.array(z.enum(eventTypes)).min(1).refine(distinct, twice).optional().describe('Only these types.');
const userIds = z.array(idOf('usr')).min(1).max(100).refine(distinct, twice).optional().describe('Only events about these people.');
const names = z.array(text(64)).min(1).max(100).refine(distinct, twice);
const providers = names.optional().describe('Only events of these providers. Events of no provider are left out.');
const metrics = names.optional().describe('Only events of these metrics. Events of no metric are left out.');
const since = moment().describe('Events that occurred from then on.');
const until = moment().optional().describe('Exclusive. Left out: up to now.');

export const recoverWish = z.strictObject({ since, until }).meta({ id: 'RecoverWish' });
export const replayMissingWish = z.strictObject({ since, until }).meta({ id: 'ReplayMissingWish' });

export const newRecovery = z
  .strictObject({
    endpointId: idOf('ep').optional().describe('Only to this endpoint; without it to every enabled one.'),
    types,
    userIds,
    providers,
    metrics,
    states: z
      .array(states)
      .min(1)
      .refine(distinct, twice)
      .default(['failed', 'cancelled'])
      .describe(
        'What the delivery has come to. `missing`: the endpoint was never owed the event, and would be by its filters of today. What waits or is being sent is left alone.',
      ),
    from: moment().optional().describe('Events that occurred from then on. Left out: from the first one on.'),
    to: until,
    dryRun: z.boolean().default(false).describe('Only count; nothing is written and nothing sent.'),
  })
  .meta({ id: 'NewRecovery' });

const state = z.enum(['running', 'completed', 'cancelled']);

export const recovery = z
  .object({
    id: idOf('rcv'),
    kind: z.enum(['recover', 'replay_missing', 'replay']),
    state,
    paused: z.boolean().describe('Its endpoint is disabled; it goes on once that is enabled.'),
    endpointId: idOf('ep').nullable().describe('Null: every enabled endpoint.'),
    types: z.array(z.string()).nullable(),
    userIds: z.array(z.string()).nullable(),
    providers: z.array(z.string()).nullable(),
    metrics: z.array(z.string()).nullable(),
    states: z.array(states),
    from: instant(),
    to: instant().describe('Exclusive.'),
    total: z.int().describe('Deliveries that matched when it began.'),
    queued: z
      .int()
      .describe(
        'Deliveries that were made due so far. Fewer than `total` at the end where some went out, or people were erased, meanwhile.',
      ),
    estimatedEndAt: instant().nullable().describe('When the last one will be due at the earliest; null unless it runs.'),
    createdAt: instant(),
    endedAt: instant().nullable(),
  })
  .meta({ id: 'Recovery' });

export const recoveryPage = pageOf(recovery).meta({ id: 'RecoveryPage' });

export const begunRecovery = z
  .object({
    dryRun: z.boolean(),
    total: z.int().describe('Deliveries that match now.'),
    recovery: recovery.nullable().describe('Null when it was only counted.'),
  })
  .meta({ id: 'BegunRecovery' });

export const recoveryQuery = z.strictObject({ endpointId: idOf('ep').optional(), state: state.optional(), ...pageFields });

export const pendingFilter = z
  .strictObject({ types, userIds, providers, metrics, from: moment().optional().describe('Events that occurred from then on.'), to: until })
  .default({})
  .meta({ id: 'PendingFilter' });

export const cancelledPending = z
  .object({
    cancelled: z.int(),
    more: z.boolean().describe('A call gives up 5000 at most; call again while this is true.'),
  })
  .meta({ id: 'CancelledPending' });
