import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Announcer } from '../announcer.js';
import { appFields, controls, orderControl } from '../controls.js';
import { copiesShape, orderShape, orderedSends } from '../ordered-sends.js';
import type { Target, WebhookSender } from '../webhook-sender.js';
import { type GarminWorld, permissions, typeNames } from './garmin-world.js';
import { type WebhookFacts, forgedPost, forgeries, namedPost, webhookBody } from './webhook-message.js';

interface ControlParts {
  readonly world: GarminWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer<WebhookFacts>;
}

const appShape = z.strictObject({
  ...appFields,
  accessTokenTtlS: z.number().positive().default(86_400),
  callbackUrl: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  sends: z.enum(['ping', 'push']).default('ping'),
  pullTokens: z.boolean().default(false),
});
const webhooksShape = z.strictObject({
  ...orderShape,
  collection: z.enum([...typeNames, 'deregistrations']),
  atS: z.int().positive().optional(),
  forge: z.enum(forgeries).optional(),
});
const summaryShape = z.looseObject({ uploadedAtS: z.int().positive().optional() });

/** `/control/garmin/…` */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  const nowS = () => Math.floor(world.now() / 1000);
  controls(scope, {
    world,
    sender,
    announcer,
    appShape,
    subjectIdShape: z.string().regex(/^[0-9a-f-]{8,64}$/),
    scopes: permissions,
    collections: typeNames,
    wholeDocument: (type, summaryId, given, subjectId) => {
      const { uploadedAtS, ...fields } = summaryShape.parse(given);
      const summary = { userId: subjectId, ...fields, summaryId };
      world.upload({ subjectId, type, atS: uploadedAtS ?? nowS(), summary });
      return summary;
    },
    notifyShape: z.strictObject(copiesShape),
    announce: async ({ subjectId, collection, id, change }, notify) => {
      const upload = world.lastUpload(subjectId, collection, id);
      // Garmin tells nobody of what was deleted.
      if (change === 'delete' || upload === undefined) return [];
      return announcer.announce({ subjectId, dataType: collection, atS: upload.atS, pushed: upload.summary }, notify);
    },
  });

  orderControl(scope, (body) => {
    const order = webhooksShape.parse(body);
    const send = orderedSends(world, sender, order, {
      targets: () => targetsOf(world),
      facts: ({ subjectId, collection, atS }) => ({ subjectId, dataType: collection, atS: atS ?? nowS(), pushed: undefined }),
      isAbout: (facts, { subjectId, collection }) => facts.subjectId === subjectId && facts.dataType === collection,
      secretOf: (clientId) => clientId,
      stamp: (facts, forge, { secret }) =>
        forge === undefined ? namedPost(webhookBody(facts, keyOf(world, facts)), secret) : forgedPost(forge, facts, secret),
    });
    return { wait: order.wait, send };
  });
}

/** Every app that has an address. */
export function targetsOf(world: GarminWorld): Target[] {
  return [...world.apps.values()].flatMap(({ clientId, callbackUrl }) =>
    callbackUrl === null ? [] : [{ id: clientId, clientId, callbackUrl }],
  );
}

/** The key that a ping of this tells. */
export function keyOf(world: GarminWorld, { subjectId, dataType, atS }: WebhookFacts): string {
  return world.pullToken({ subjectId, type: dataType, atS });
}
