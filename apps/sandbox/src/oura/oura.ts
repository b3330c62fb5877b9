import type { Clock, Logger } from '@tributary/service-shell';
import type { FastifyInstance } from 'fastify';
import { Announcer } from '../announcer.js';
import { answerControlRefusal } from '../control-refusal.js';
import type { FactTable } from '../front-page.js';
import { parseBodies } from '../parse-bodies.js';
import { WebhookSender } from '../webhook-sender.js';
import { controlRoutes } from './control-routes.js';
import { oauthRoutes } from './oauth-routes.js';
import { answerRefusal } from './oura-refusal.js';
import { OuraWorld } from './oura-world.js';
import { readRoutes } from './read-routes.js';
import { announcerManners } from './send-webhooks.js';
import { subscriptionRoutes } from './subscription-routes.js';
import type { WebhookFacts } from './webhook-message.js';

/** An Oura of our own: its public face and its strings. Facts: the provider's OpenAPI description of 2026. */
export function openOura(clock: Clock, log: Logger) {
  const world = new OuraWorld(clock);
  const sender = senderOf(world, log);
  const announcer = new Announcer<WebhookFacts>({ world, sender, ...announcerManners(world) });
  return {
    provider: async (scope: FastifyInstance): Promise<void> => {
      parseBodies(scope);
      scope.setErrorHandler(answerRefusal);
      scope.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
      oauthRoutes(scope, world);
      readRoutes(scope, world);
      subscriptionRoutes(scope, world);
    },
    control: async (scope: FastifyInstance): Promise<void> => {
      parseBodies(scope);
      scope.setErrorHandler(answerControlRefusal);
      scope.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found', message: 'There is no such control.' }));
      controlRoutes(scope, { world, sender, announcer });
    },
    facts: () => factsOf(world, sender),
    close: async (): Promise<void> => {
      announcer.clear();
      world.close();
      await sender.close();
    },
  };
}

/** Ten retries in an hour in all: "about one hour overall" (providers.md §5.8); the single waits are not published. */
const RETRY_WAITS_S = [10, 20, 40, 80, 160, 300, 450, 600, 840, 1100] as const;

/** Anything but 2xx comes again, except after 410, which cancels the subscription. */
function senderOf(world: OuraWorld, log: Logger): WebhookSender<WebhookFacts> {
  const { now, faults, ledger, subscriptions } = world;
  return new WebhookSender({
    now,
    faults,
    ledger,
    retryWaitsS: RETRY_WAITS_S,
    received: (status) => status >= 200 && status < 300,
    isWanted: ({ clientId, id }) => subscriptions.find(clientId, id) !== undefined,
    ended: ({ id }, status) => {
      if (status !== 410) return false;
      subscriptions.remove(id);
      log.info({ what: 'webhook.subscription_cancelled', subscription: id });
      return true;
    },
  });
}

const LAST_WEBHOOKS = 20;

function factsOf(world: OuraWorld, sender: WebhookSender<WebhookFacts>): FactTable[] {
  const name = (subjectId: string): string => world.people.get(subjectId)?.name ?? 'a stranger';
  const time = (ms: number): string => new Date(ms).toISOString();
  return [
    {
      title: 'People',
      headings: ['Name', 'Subject', 'Documents'],
      rows: [...world.people.values()].map((p) => [
        p.name,
        p.subjectId,
        Object.entries(p.documents)
          .map(([of, held]) => `${of}: ${held.size}`)
          .join(', '),
      ]),
    },
    {
      title: 'Grants',
      headings: ['App', 'Person', 'Scopes', 'State'],
      rows: world.grants.all().map((g) => [g.clientId, name(g.subjectId), g.scopes.join(' '), g.alive ? 'alive' : 'ended']),
    },
    {
      title: 'Subscriptions',
      headings: ['App', 'About', 'Callback', 'Expires'],
      rows: world.subscriptions.all().map((s) => [s.clientId, `${s.eventType} ${s.dataType}`, s.callbackUrl, time(s.expiresAt)]),
    },
    {
      title: 'Last webhooks',
      headings: ['Sent', 'App', 'About', 'Person', 'Answer', 'Try'],
      rows: sender
        .sent()
        .slice(-LAST_WEBHOOKS)
        .reverse()
        .map((s) => [
          time(s.at),
          s.clientId,
          `${s.facts.eventType} ${s.facts.dataType}`,
          name(s.facts.subjectId),
          s.status === 0 ? 'none' : `${s.status} in ${s.ms} ms`,
          String(s.retry + 1),
        ]),
    },
  ];
}
