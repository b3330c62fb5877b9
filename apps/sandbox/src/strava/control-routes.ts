import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Announcer } from '../announcer.js';
import { appFields, controls, orderControl } from '../controls.js';
import { forgedPost, forgeries } from '../forged-post.js';
import { copiesShape, orderShape, orderedSends } from '../ordered-sends.js';
import type { WebhookSender } from '../webhook-sender.js';
import { type Collection, collectionNames, wholeDocument } from './documents.js';
import { stravaScopes } from './oauth-routes.js';
import type { StravaWorld } from './strava-world.js';
import { type WebhookFacts, aspects, plainPost, signing, webhookBody } from './webhook-message.js';

interface ControlParts {
  readonly world: StravaWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer<WebhookFacts>;
}

const digits = z.string().regex(/^[1-9]\d{0,15}$/);
const updates = z.record(z.string(), z.string()).default({});
const appShape = z.strictObject({
  ...appFields,
  accessTokenTtlS: z.number().positive().default(21_600),
  signsWebhooks: z.boolean().default(false),
});
const notifyShape = z.strictObject({ ...copiesShape, updates });
const webhooksShape = z.strictObject({
  ...orderShape,
  subjectId: digits,
  collection: z.enum(['activity', 'athlete']).default('activity'),
  objectId: digits,
  aspect: z.enum(aspects).default('update'),
  updates,
  eventTimeS: z.int().min(0).optional(),
  forge: z.enum(forgeries).optional(),
});

/** `/control/strava/…`. A webhook that is forged is signed where its forgery has a signature, whatever the app does. */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  const nowS = () => Math.floor(world.now() / 1000);
  controls(scope, {
    world,
    sender,
    announcer,
    appShape,
    subjectIdShape: digits,
    scopes: stravaScopes,
    collections: collectionNames,
    wholeDocument: (collection, id, given, subjectId) => wholeDocument(collection as Collection, id, given, subjectId),
    notifyShape,
    announce: async ({ subjectId, collection, id, change }, { updates: changed, ...copies }) => {
      // Of streams and weights Strava tells nobody.
      if (collection !== 'activity') return [];
      const facts = { subjectId, dataType: collection, objectId: id, aspect: change, updates: changed, eventTimeS: nowS() } as const;
      return announcer.announce({ ...facts, subscriptionId: subscriptionId(world, subjectId) }, copies);
    },
  });

  orderControl(scope, (body) => {
    const order = webhooksShape.parse(body);
    const send = orderedSends(world, sender, order, {
      targets: () => world.subscriptions(),
      facts: ({ subjectId, collection, objectId, aspect, updates: changed, eventTimeS }, first) => ({
        subjectId,
        dataType: collection,
        objectId,
        aspect,
        updates: changed,
        eventTimeS: (first ? eventTimeS : undefined) ?? nowS(),
        subscriptionId: subscriptionId(world, subjectId),
      }),
      isAbout: (facts, { subjectId, collection, objectId }) =>
        facts.subjectId === subjectId && facts.dataType === collection && facts.objectId === objectId,
      stamp: (facts, forge, keys, now) => {
        if (forge !== undefined) return forgedPost(forge, webhookBody(facts), signing, keys, now);
        const signs = [...world.apps.values()].some((app) => app.signsWebhooks && app.secrets[0] === keys.secret) || order.secret;
        return signs ? signing.sign(webhookBody(facts), keys.secret, now) : plainPost(webhookBody(facts));
      },
    });
    return { wait: order.wait, send };
  });

  scope.get('/subscriptions', async () => ({ subscriptions: world.subscriptions() }));
}

/** That of the app which the person let in, or of any. */
function subscriptionId(world: StravaWorld, subjectId: string): string {
  const clients = new Set(
    world.grants
      .all()
      .filter((grant) => grant.subjectId === subjectId)
      .map((grant) => grant.clientId),
  );
  const all = world.subscriptions();
  return (all.find(({ clientId }) => clients.has(clientId)) ?? all[0])?.id ?? '0';
}
