import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Announcer } from '../announcer.js';
import { ControlRefusal } from '../control-refusal.js';
import { appFields, controls, orderControl, text } from '../controls.js';
import { forgedPost, forgeries } from '../forged-post.js';
import { copiesShape, orderShape, orderedSends } from '../ordered-sends.js';
import type { Target, WebhookSender } from '../webhook-sender.js';
import { type Collection, collectionNames, wholeDocument } from './documents.js';
import { whoopScopes } from './oauth-routes.js';
import { type WebhookFacts, announced, signedPost, signing, webhookBody } from './webhook-message.js';
import type { WhoopWorld } from './whoop-world.js';

interface ControlParts {
  readonly world: WhoopWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer<WebhookFacts>;
}

const callbackUrl = z.url({ protocol: /^https?$/ });
const appShape = z.strictObject({
  ...appFields,
  accessTokenTtlS: z.number().positive().default(3_600),
  callbackUrl: callbackUrl.nullable().default(null),
});
const notifyShape = z.strictObject(copiesShape);
const webhooksShape = z.strictObject({
  ...orderShape,
  subjectId: z.string().regex(/^\d{1,15}$/),
  collection: z.enum(announced),
  objectId: text,
  verb: z.enum(['updated', 'deleted']).default('updated'),
  traceId: text.optional(),
  forge: z.enum(forgeries).optional(),
});

/** `/control/whoop/…` */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  controls(scope, {
    world,
    sender,
    announcer,
    appShape,
    subjectIdShape: z.string().regex(/^[1-9]\d{0,14}$/),
    scopes: whoopScopes,
    collections: collectionNames,
    wholeDocument: (collection, id, given, subjectId) =>
      wholeDocument({ collection: collection as Collection, id, subjectId, now: world.now() }, given),
    notifyShape,
    announce: async ({ subjectId, collection, id, change }, notify) => {
      const dataType = announced.find((name) => name === collection);
      if (dataType === undefined) return [];
      const verb = change === 'delete' ? 'deleted' : 'updated';
      return announcer.announce({ subjectId, dataType, objectId: id, verb, traceId: world.newTrace() }, notify);
    },
  });

  orderControl(scope, (body) => {
    const order = webhooksShape.parse(body);
    const send = orderedSends(world, sender, order, {
      targets: () => targetsOf(world),
      facts: ({ subjectId, collection, objectId, verb, traceId }, first) => ({
        subjectId,
        dataType: collection,
        objectId,
        verb,
        traceId: (first ? traceId : undefined) ?? world.newTrace(),
      }),
      isAbout: (facts, { subjectId, collection, objectId }) =>
        facts.subjectId === subjectId && facts.dataType === collection && facts.objectId === objectId,
      stamp: (facts, forge, keys, now) =>
        forge === undefined ? signedPost(webhookBody(facts), keys.secret, now) : forgedPost(forge, webhookBody(facts), signing, keys, now),
    });
    return { wait: order.wait, send };
  });

  /** What a person types into the settings of the app. */
  scope.put<{ Params: { clientId: string } }>('/apps/:clientId/webhook', async (request) => {
    const app = world.apps.get(request.params.clientId);
    if (app === undefined) throw new ControlRefusal(404, 'not_found', 'There is no app with this clientId.');
    app.callbackUrl = z.strictObject({ callbackUrl }).parse(request.body).callbackUrl;
    return { clientId: app.clientId, callbackUrl: app.callbackUrl };
  });
}

/** Every app that has an address. */
export function targetsOf(world: WhoopWorld): Target[] {
  return [...world.apps.values()].flatMap(({ clientId, callbackUrl: url }) =>
    url === null ? [] : [{ id: clientId, clientId, callbackUrl: url }],
  );
}
