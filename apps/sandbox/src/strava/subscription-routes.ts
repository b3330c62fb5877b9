import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { challengeFault } from '../callback-challenge.js';
import type { Target } from '../webhook-sender.js';
import { notFound, refused } from './strava-refusal.js';
import type { StravaApp, StravaWorld } from './strava-world.js';

const path = '/api/v3/push_subscriptions';

/** One for each app, proved while the call that makes it is open. */
export function subscriptionRoutes(scope: FastifyInstance, world: StravaWorld): void {
  scope.get(path, async (request) => {
    const own = world.subscriptionOf(appOf(world, queryOf(request.url)).clientId);
    return own === undefined ? [] : [shown(own)];
  });

  scope.post(path, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const { clientId } = appOf(world, form);
    const callbackUrl = form.get('callback_url') ?? '';
    const refuseSecond = () => {
      if (world.subscriptionOf(clientId) !== undefined)
        throw refused(400, 'Bad Request', ['PushSubscription', 'application', 'already exists']);
    };
    refuseSecond();
    if (!URL.canParse(callbackUrl)) throw refused(400, 'Bad Request', ['PushSubscription', 'callback url', 'invalid']);
    const challenge = randomBytes(15).toString('hex');
    const url = new URL(callbackUrl);
    url.searchParams.set('hub.mode', 'subscribe');
    url.searchParams.set('hub.challenge', challenge);
    url.searchParams.set('hub.verify_token', form.get('verify_token') ?? '');
    const fault = await challengeFault(url.href, { field: 'hub.challenge', challenge }, world.faults.answerTimeoutMs);
    if (fault !== undefined)
      throw refused(400, `Bad Request: ${fault}`, ['PushSubscription', 'callback url', 'GET to callback URL failed']);
    // Another may have come in during the handshake.
    refuseSecond();
    reply.code(201);
    return { id: Number(world.subscribe(clientId, callbackUrl).id) };
  });

  scope.delete<{ Params: { id: string } }>(`${path}/:id`, async (request, reply) => {
    const { clientId } = appOf(world, queryOf(request.url));
    if (world.subscriptionOf(clientId)?.id !== request.params.id) throw notFound('PushSubscription');
    world.unsubscribe(clientId);
    return reply.code(204).send();
  });
}

function appOf(world: StravaWorld, given: URLSearchParams): StravaApp {
  const app = world.appOf(given.get('client_id'), given.get('client_secret'));
  if (app === undefined) throw refused(401, 'Authorization Error', ['Application', 'client_id', 'invalid']);
  return app;
}

const queryOf = (url: string): URLSearchParams => new URL(url, 'http://sandbox').searchParams;

const shown = ({ id, callbackUrl }: Target) => ({ id: Number(id), resource_state: 2, callback_url: callbackUrl });
