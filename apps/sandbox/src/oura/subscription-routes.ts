import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { challengeFault } from '../callback-challenge.js';
import { refused, unprocessable } from './oura-refusal.js';
import type { OuraApp, OuraWorld } from './oura-world.js';
import { type DataType, type EventType, dataTypes, eventTypes } from './scopes.js';
import type { Subscription } from './subscription-book.js';

const createShape = z.object({
  callback_url: z.url({ protocol: /^https?$/ }),
  verification_token: z.string().min(1),
  event_type: z.enum(eventTypes),
  data_type: z.enum(dataTypes),
});
const updateShape = createShape.partial().required({ verification_token: true });

type IdParams = { Params: { id: string } };

/** `/v2/webhook/subscription…`, by `x-client-id` and `x-client-secret`. */
export function subscriptionRoutes(scope: FastifyInstance, world: OuraWorld): void {
  scope.get('/v2/webhook/subscription', async (request) => world.subscriptions.ofApp(appOf(world, request).clientId).map(shown));

  scope.get<IdParams>('/v2/webhook/subscription/:id', async (request) => shown(ownOf(world, request)));

  scope.post('/v2/webhook/subscription', async (request, reply) => {
    const app = appOf(world, request);
    const { callback_url, verification_token, event_type, data_type } = parsed(createShape, request.body);
    refuseTaken(world, app, { eventType: event_type, dataType: data_type, but: undefined });
    await shakeHands(world, callback_url, verification_token);
    // Another create may have come in during the handshake.
    refuseTaken(world, app, { eventType: event_type, dataType: data_type, but: undefined });
    reply.code(201);
    return shown(
      world.subscriptions.add({
        clientId: app.clientId,
        callbackUrl: callback_url,
        eventType: event_type,
        dataType: data_type,
        expiresAt: expiryOf(world, app),
      }),
    );
  });

  scope.put<IdParams>('/v2/webhook/subscription/:id', async (request) => {
    const app = appOf(world, request);
    const own = ownOf(world, request);
    const given = parsed(updateShape, request.body);
    const next = { eventType: given.event_type ?? own.eventType, dataType: given.data_type ?? own.dataType, but: own.id };
    refuseTaken(world, app, next);
    const callbackUrl = given.callback_url ?? own.callbackUrl;
    await shakeHands(world, callbackUrl, given.verification_token);
    refuseTaken(world, app, next);
    return shown(Object.assign(own, { callbackUrl, eventType: next.eventType, dataType: next.dataType }));
  });

  scope.put<IdParams>('/v2/webhook/subscription/renew/:id', async (request) => {
    const own = ownOf(world, request);
    own.expiresAt = expiryOf(world, appOf(world, request));
    return shown(own);
  });

  scope.delete<IdParams>('/v2/webhook/subscription/:id', async (request, reply) => {
    world.subscriptions.remove(ownOf(world, request).id);
    return reply.code(204).send();
  });
}

function appOf(world: OuraWorld, { headers }: FastifyRequest): OuraApp {
  const one = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);
  const app = world.appOf(one(headers['x-client-id']), one(headers['x-client-secret']));
  if (app === undefined) throw refused(401, 'x-client-id or x-client-secret is missing or wrong.');
  return app;
}

function ownOf(world: OuraWorld, request: FastifyRequest<IdParams>): Subscription {
  const own = world.subscriptions.find(appOf(world, request).clientId, request.params.id);
  // 403 and not 404, as in Oura's description.
  if (own === undefined) throw refused(403, 'Webhook with specified id does not exist.');
  return own;
}

function refuseTaken(
  world: OuraWorld,
  app: OuraApp,
  { eventType, dataType, but }: { eventType: EventType; dataType: DataType; but: string | undefined },
): void {
  const taken = world.subscriptions.taken(app.clientId, eventType, dataType);
  if (taken !== undefined && taken.id !== but) throw refused(409, 'There is a subscription for this event_type and data_type already.');
}

/** Asks the callback to prove that it is ours: 200 with the challenge as JSON, within ten seconds. */
async function shakeHands(world: OuraWorld, callbackUrl: string, verificationToken: string): Promise<void> {
  const challenge = randomBytes(12).toString('hex');
  const url = new URL(callbackUrl);
  url.searchParams.set('verification_token', verificationToken);
  url.searchParams.set('challenge', challenge);
  const fault = await challengeFault(url.href, { field: 'challenge', challenge }, world.faults.answerTimeoutMs);
  if (fault !== undefined) throw refused(400, `The callback did not verify: ${fault}.`);
}

function parsed<T>(shape: z.ZodType<T>, body: unknown): T {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw unprocessable(result.error.issues.map(({ path, message }) => ({ loc: ['body', ...path.map(String)], msg: message })));
}

const expiryOf = (world: OuraWorld, app: OuraApp): number => world.now() + app.subscriptionTtlS * 1000;

const shown = ({ id, callbackUrl, eventType, dataType, expiresAt }: Subscription) => ({
  id,
  callback_url: callbackUrl,
  event_type: eventType,
  data_type: dataType,
  // Without a zone, as Oura writes it; it is UTC.
  expiration_time: new Date(expiresAt).toISOString().replace('Z', '000'),
});
