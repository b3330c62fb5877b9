import { eventTypes } from '@tributary/domain';
import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';
import { pageOf } from '../answers/page.js';

const url = text(2_048).describe('https; http is allowed in the test environment. No user, password or fragment.');
const description = text(500).nullable();
const types = z
  .array(z.enum(eventTypes))
  .min(1)
  .refine((list) => new Set(list).size === list.length, 'names a type twice')
  .nullable()
  .describe('Only these types; null: every type.');
const scheduleS = z
  .array(z.int().min(0).max(86_400))
  .min(1)
  .max(20)
  .nullable()
  .describe('Seconds to wait before each attempt, and so how many there are; null: ours (0, 5, 300, 1800, 7200, 18000, 36000, 57600).');
const asymmetric = z
  .boolean()
  .describe('Sign with an Ed25519 key as well (v1a beside v1): who verifies then needs only the public key, which is no secret.');
const status = z.enum(['enabled', 'disabled']);

export const newEndpoint = z
  .strictObject({
    url,
    description: description.default(null),
    eventTypes: types.default(null),
    scheduleS: scheduleS.default(null),
    asymmetric: asymmetric.default(false),
  })
  .meta({ id: 'NewEndpoint' });

export const endpointPatch = z
  .strictObject({
    url: url.optional(),
    description: description.optional(),
    eventTypes: types.optional(),
    scheduleS: scheduleS.optional(),
    status: status.optional(),
  })
  .meta({ id: 'EndpointPatch' });

const fields = {
  id: idOf('ep'),
  url: z.string(),
  description: z.string().nullable(),
  eventTypes: z.array(z.string()).nullable(),
  scheduleS: z.array(z.int()).nullable(),
  status,
  disabledReason: z.string().nullable(),
  lastSuccessAt: instant().nullable(),
  failingSince: instant().nullable(),
  consecutiveFailures: z.int(),
  publicKeys: z.array(z.string()).describe('What v1a signatures are verified with, newest first; empty: v1 alone signs.'),
  createdAt: instant(),
  updatedAt: instant(),
};

const secret = z.string().describe('Verifies what we send, as Standard Webhooks says. Shown once.');

export const endpoint = z.object(fields).meta({ id: 'Endpoint' });
export const createdEndpoint = z.object({ ...fields, secret }).meta({ id: 'CreatedEndpoint' });
export const endpointPage = pageOf(endpoint).meta({ id: 'EndpointPage' });

export const rotation = z
  .strictObject({
    overlapS: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe('How long the earlier secrets sign beside the new one; a day unless you say otherwise.'),
    asymmetric: asymmetric.optional().describe('Whether v1a signs as well from now on; as before unless you say otherwise.'),
  })
  .default({ overlapS: 86_400 })
  .meta({ id: 'SecretRotation' });

export const rotatedSecret = z
  .object({ secret, publicKey: z.string().nullable().describe('Of v1a; null: v1 alone signs.') })
  .meta({ id: 'RotatedSecret' });

export const sentTest = z.object({ eventId: idOf('evt') }).meta({ id: 'SentTest' });
