import { eventTypes } from '@tributary/domain';
import { z } from 'zod';
import { idOf, instant } from '../answers/fields.js';
import { pageFields, pageOf } from '../answers/page.js';

const fields = {
  id: idOf('evt').describe('The `webhook-id` of every attempt, retry and replay.'),
  type: z.string(),
  revision: z.int(),
  occurredAt: instant().describe('The `timestamp` of the webhook.'),
  data: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('As sent; see the webhooks of this document. Null once the person it named was erased.'),
};

export const eventShape = z.object(fields).meta({ id: 'Event' });
export const eventPage = pageOf(eventShape).meta({ id: 'EventPage' });

export const eventWithDeliveries = z
  .object({
    ...fields,
    deliveries: z.array(
      z.object({
        endpointId: z.string(),
        state: z.enum(['pending', 'sending', 'delivered', 'failed', 'cancelled']),
        attempts: z.int(),
        nextAttemptAt: instant().nullable().describe('Null when no attempt will follow.'),
        endedAt: instant().nullable(),
      }),
    ),
  })
  .meta({ id: 'EventWithDeliveries' });

export const attempt = z
  .object({
    endpointId: z.string(),
    n: z.int().describe('Counts from 1 for each endpoint.'),
    startedAt: instant(),
    durationMs: z.int(),
    outcome: z.string(),
    statusCode: z.int().nullable(),
    responseHeaders: z.record(z.string(), z.unknown()).nullable(),
    responseBody: z.string().nullable().describe('The first 64 kB, read as UTF-8.'),
  })
  .meta({ id: 'DeliveryAttempt' });

export const attemptPage = pageOf(attempt).meta({ id: 'DeliveryAttemptPage' });

export const eventQuery = z.strictObject({ type: z.enum(eventTypes).optional(), ...pageFields });
export const attemptQuery = z.strictObject({ ...pageFields });

export const replayWish = z
  .strictObject({
    endpointId: idOf('ep').optional().describe('Only to this endpoint; without it to every enabled endpoint that the event was owed to.'),
  })
  .default({})
  .meta({ id: 'ReplayWish' });

export const replayed = z
  .object({
    eventId: idOf('evt'),
    endpointIds: z.array(z.string()).describe('Where it is sent again, under the same id.'),
    underWay: z.array(z.string()).describe('Where it waits or is being sent already: nothing was changed there.'),
  })
  .meta({ id: 'Replayed' });
