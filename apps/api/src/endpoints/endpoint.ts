import { dailyMetrics, eventTypes, measurementMetrics, seriesMetrics } from '@tributary/domain';
import { z } from 'zod';
import { idOf, instant, text } from '../answers/fields.js';
import { pageOf } from '../answers/page.js';

const url = text(2_048).describe('https; http is allowed in the test environment. No user, password or fragment.');
const description = text(500).nullable();
const metricNames = [
  ...new Set([
    ...Object.keys(dailyMetrics),
    ...Object.keys(measurementMetrics),
    ...Object.keys(seriesMetrics),
    'blood_pressure',
    'sleep_session',
    'workout',
  ]),
] as [string];

/** A filter: some of what there is, each once; null: all. */
const listOf = <T extends z.ZodType<string>>(entry: T, most = 1_000) =>
  z
    .array(entry)
    .min(1)
    .max(most)
    .refine((list) => new Set(list).size === list.length, 'names one twice')
    .nullable();

const types = listOf(z.enum(eventTypes)).describe('Only these types; null: every type.');
const providers = listOf(text(64)).describe(
  'Only events of these providers; null: all. Events about no provider pass, and so do those of the resolved view, which may take a value from another provider at any time.',
);
const metrics = listOf(z.enum(metricNames)).describe(
  'Only records of these metrics; null: all. Events about no record (`connection.*`, `backfill.completed`, `user.erased`, `endpoint.*`) pass.',
);
const users = listOf(text(255)).describe(
  'Only events about these people, by our ids or yours; null: everybody. Shown by our ids. Events about no person pass. Who is erased leaves the list, and a list that is empty then takes nobody.',
);
const payload = z
  .enum(['full', 'thin'])
  .describe(
    '`thin`: without `record`, with `links.self` and `links.latest` instead, so that no health value stands in queues and logs on the way. Series are always sent so.',
  );
const sourceView = z
  .enum(['source', 'resolved', 'both'])
  .describe(
    'Of records: what each source says, what stands for all of them (events with `view: "resolved"`), or both. Changes of the resolved view are told from when an endpoint of the environment first wants them; read what was before from the lists with `view=resolved`.',
  );
const ordering = z
  .enum(['none', 'user'])
  .describe(
    '`user`: of each person one delivery at a time, in the order of revisions; one that fails keeps the later ones of that person waiting.',
  );
const ratePerSecond = z
  .number()
  .min(0.01)
  .max(10_000)
  .nullable()
  .describe('Most requests in a second, evenly; what is more waits, and that is no failure. Null: as fast as the endpoint takes them.');
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
    providers: providers.default(null),
    metrics: metrics.default(null),
    users: users.default(null),
    payload: payload.default('full'),
    sourceView: sourceView.default('source'),
    ordering: ordering.default('none'),
    ratePerSecond: ratePerSecond.default(null),
    scheduleS: scheduleS.default(null),
    asymmetric: asymmetric.default(false),
  })
  .meta({ id: 'NewEndpoint' });

export const endpointPatch = z
  .strictObject({
    url: url.optional(),
    description: description.optional(),
    eventTypes: types.optional(),
    providers: providers.optional(),
    metrics: metrics.optional(),
    users: users.optional(),
    payload: payload.optional(),
    sourceView: sourceView.optional(),
    ordering: ordering.optional(),
    ratePerSecond: ratePerSecond.optional(),
    scheduleS: scheduleS.optional(),
    status: status.optional(),
  })
  .meta({ id: 'EndpointPatch' });

const fields = {
  id: idOf('ep'),
  url: z.string(),
  description: z.string().nullable(),
  eventTypes: z.array(z.string()).nullable(),
  providers: z.array(z.string()).nullable(),
  metrics: z.array(z.string()).nullable(),
  users: z.array(z.string()).nullable().describe('Our ids.'),
  payload,
  sourceView,
  ordering,
  ratePerSecond: z.number().nullable(),
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
