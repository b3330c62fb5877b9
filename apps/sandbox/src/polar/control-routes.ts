import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Announcer } from '../announcer.js';
import { ControlRefusal } from '../control-refusal.js';
import { appFields, controls, orderControl, text } from '../controls.js';
import { forgedPost, forgeries } from '../forged-post.js';
import { copiesShape, orderShape, orderedSends } from '../ordered-sends.js';
import type { WebhookSender } from '../webhook-sender.js';
import { type Collection, PHYSICAL_INFO_ID, collectionNames, wholeDocument } from './documents.js';
import { polarScopes } from './oauth-routes.js';
import { type PolarWorld, type Webhook, eventNames } from './polar-world.js';
import { type WebhookFacts, eventOf, signedPost, signing, webhookBody, wholeSeconds } from './webhook-message.js';

interface ControlParts {
  readonly world: PolarWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer<WebhookFacts>;
}

const appShape = z.strictObject({ ...appFields, accessTokenTtlS: z.number().positive().default(315_359_999) });
const subjectIdShape = z.string().regex(/^[1-9]\d{0,14}$/);
const notifyShape = z.strictObject(copiesShape);
const webhooksShape = z.strictObject({
  ...orderShape,
  subjectId: subjectIdShape,
  event: z.enum(eventNames),
  /** Id of an exercise, or the day. */
  about: text.optional(),
  timestamp: z.iso.datetime().optional(),
  forge: z.enum(forgeries).optional(),
});

/** `/control/polar/…` */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  controls(scope, {
    world,
    sender,
    announcer,
    appShape,
    subjectIdShape,
    scopes: polarScopes,
    collections: collectionNames,
    wholeDocument: (collection, id, given) => wholeDocument(collection as Collection, id, given, world.now()),
    notifyShape,
    announce: async ({ subjectId, collection, id, change }, notify) => {
      const dataType = eventOf[collection as Collection];
      // Polar tells of no deletion.
      if (dataType === undefined || change === 'delete') return [];
      const about = id === PHYSICAL_INFO_ID ? undefined : id;
      return announcer.announce({ subjectId, dataType, about, timestamp: wholeSeconds(world.now()) }, notify);
    },
  });

  orderControl(scope, (body) => {
    const order = webhooksShape.parse(body);
    const send = orderedSends(world, sender, order, {
      targets: ({ event }) => {
        const targets = targetsOf(world, event);
        if (targets.length === 0) throw new ControlRefusal(409, 'no_subscription', `No app has a webhook for ${event}.`);
        return targets;
      },
      facts: ({ subjectId, event, about, timestamp }) => ({
        subjectId,
        dataType: event,
        about,
        timestamp: timestamp ?? wholeSeconds(world.now()),
      }),
      isAbout: (facts, { subjectId, event, about }) => facts.subjectId === subjectId && facts.dataType === event && facts.about === about,
      secretOf: (clientId) => world.webhooks.get(clientId)?.key ?? '',
      stamp: (facts, forge, keys, now) =>
        forge === undefined ? signedPost(webhookBody(facts), keys.secret) : forgedPost(forge, webhookBody(facts), signing, keys, now),
    });
    return { wait: order.wait, send };
  });

  scope.get('/subscriptions', async () => ({
    subscriptions: [...world.webhooks.values()].map(({ id, clientId, callbackUrl, events, active }) => ({
      id,
      clientId,
      callbackUrl,
      events,
      active,
    })),
  }));

  /** As after seven days of failures. */
  scope.put<{ Params: { clientId: string } }>('/apps/:clientId/webhook', async (request) => {
    const webhook = world.webhooks.get(request.params.clientId);
    if (webhook === undefined) throw new ControlRefusal(404, 'not_found', 'This app has no webhook.');
    webhook.active = z.strictObject({ active: z.boolean() }).parse(request.body).active;
    return { clientId: webhook.clientId, active: webhook.active };
  });
}

export function targetsOf(world: PolarWorld, event: string): readonly Webhook[] {
  return [...world.webhooks.values()].filter(({ active, events }) => active && events.includes(event));
}
