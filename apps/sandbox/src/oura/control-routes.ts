import type { FastifyInstance } from 'fastify';
import type { Announcer } from '../announcer.js';
import { controls, orderControl } from '../controls.js';
import { orderedSends } from '../ordered-sends.js';
import type { WebhookSender } from '../webhook-sender.js';
import { appShape, notifyShape, subjectIdShape, webhooksShape } from './control-shapes.js';
import { type Collection, collectionNames, wholeDocument } from './documents.js';
import type { OuraWorld } from './oura-world.js';
import { dataTypes, ouraScopes } from './scopes.js';
import { orderManners } from './send-webhooks.js';
import type { WebhookFacts } from './webhook-message.js';

export interface ControlParts {
  readonly world: OuraWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer<WebhookFacts>;
}

/** `/control/oura/…` */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  controls(scope, {
    world,
    sender,
    announcer,
    appShape,
    subjectIdShape,
    scopes: ouraScopes,
    collections: collectionNames,
    wholeDocument: (collection, id, given) => wholeDocument(collection as Collection, id, given),
    notifyShape,
    announce: async ({ subjectId, collection, id, change }, notify) => {
      const dataType = dataTypes.find((name) => name === collection);
      if (dataType === undefined) return [];
      const facts = { subjectId, dataType, objectId: id, eventType: notify.eventType ?? change };
      return announcer.announce({ ...facts, eventTime: notify.eventTime ?? world.nextEventTime() }, notify);
    },
  });

  orderControl(scope, (body) => {
    const order = webhooksShape.parse(body);
    return { wait: order.wait, send: orderedSends(world, sender, order, orderManners(world)) };
  });

  scope.get('/subscriptions', async () => ({ subscriptions: world.subscriptions.all() }));
}
