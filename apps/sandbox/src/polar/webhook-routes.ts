import type { FastifyInstance, FastifyRequest } from 'fastify';
import { request as dial } from 'undici';
import { z } from 'zod';
import { basicCredentials } from '../oauth-server.js';
import type { App } from '../world.js';
import { refused } from './polar-refusal.js';
import { type PolarWorld, type Webhook, eventNames } from './polar-world.js';
import { pingPost } from './webhook-message.js';

const wishShape = z.object({ events: z.array(z.enum(eventNames)).min(1), url: z.url({ protocol: /^https?$/ }) });

type IdParams = { Params: { id: string } };

/** `/v3/webhooks…`, by Basic. */
export function webhookRoutes(scope: FastifyInstance, world: PolarWorld): void {
  scope.get('/v3/webhooks', async (request) => {
    const held = world.webhooks.get(appOf(world, request).clientId);
    return { data: held === undefined ? [] : [shown(held)] };
  });

  scope.post('/v3/webhooks', async (request, reply) => {
    const { clientId } = appOf(world, request);
    const wish = parsed(wishShape, request.body);
    const refuseSecond = () => {
      if (world.webhooks.has(clientId)) throw refused(409, 'Conflict');
    };
    refuseSecond();
    await ping(world, wish.url);
    refuseSecond();
    const webhook = world.addWebhook(clientId, wish.url, wish.events);
    reply.code(201);
    return { data: { id: webhook.id, events: webhook.events, url: webhook.callbackUrl, signature_secret_key: webhook.key } };
  });

  for (const [action, active] of [
    ['activate', true],
    ['deactivate', false],
  ] as const) {
    scope.post(`/v3/webhooks/${action}`, async (request) => {
      const held = world.webhooks.get(appOf(world, request).clientId);
      if (held === undefined) throw refused(404, 'Not Found');
      held.active = active;
      return { data: shown(held) };
    });
  }

  scope.patch<IdParams>('/v3/webhooks/:id', async (request) => {
    const held = ownOf(world, request);
    const wish = parsed(wishShape.partial(), request.body);
    if (wish.url !== undefined && wish.url !== held.callbackUrl) await ping(world, wish.url);
    held.callbackUrl = wish.url ?? held.callbackUrl;
    held.events = wish.events ?? held.events;
    return { data: shown(held) };
  });

  scope.delete<IdParams>('/v3/webhooks/:id', async (request, reply) => {
    world.webhooks.delete(ownOf(world, request).clientId);
    return reply.code(204).send();
  });
}

function appOf(world: PolarWorld, { headers }: FastifyRequest): App {
  world.ledger.note('subscriptionCalls');
  const [clientId, clientSecret] = basicCredentials(headers.authorization ?? '');
  const app = world.appOf(clientId, clientSecret);
  if (app === undefined) throw refused(401, 'Unauthorized');
  return app;
}

function ownOf(world: PolarWorld, request: FastifyRequest<IdParams>): Webhook {
  const held = world.webhooks.get(appOf(world, request).clientId);
  if (held?.id !== request.params.id) throw refused(404, 'Not Found');
  return held;
}

/** The address must answer 200, though nothing proves who asks. */
async function ping(world: PolarWorld, url: string): Promise<void> {
  const { headers, body } = pingPost(world.now());
  const refusal = refused(400, 'The PING was not answered 200');
  try {
    const signal = AbortSignal.timeout(world.faults.answerTimeoutMs);
    const { statusCode, body: answer } = await dial(url, { method: 'POST', headers, body, signal });
    await answer.dump();
    if (statusCode !== 200) throw refusal;
  } catch {
    throw refusal;
  }
}

function parsed<T>(shape: z.ZodType<T>, body: unknown): T {
  const result = shape.safeParse(body);
  if (!result.success) throw refused(400, 'Bad Request');
  return result.data;
}

/** Never with its key. */
const shown = ({ id, events, callbackUrl, active }: Webhook) => ({ id, events, url: callbackUrl, active });
