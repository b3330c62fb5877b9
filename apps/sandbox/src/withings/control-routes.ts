import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Announcer } from '../announcer.js';
import { ControlRefusal } from '../control-refusal.js';
import { appFields, controls, orderControl } from '../controls.js';
import { copiesShape, orderShape, orderedSends } from '../ordered-sends.js';
import type { WebhookSender } from '../webhook-sender.js';
import { type Collection, type WithingsDocument, collectionNames, fieldsAbout, wholeDocument } from './documents.js';
import { withingsScopes } from './oauth-routes.js';
import { type WebhookFacts, forgeries, webhookPost } from './webhook-message.js';
import type { WithingsWorld } from './withings-world.js';

interface ControlParts {
  readonly world: WithingsWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer<WebhookFacts>;
}

const appShape = z.strictObject({ ...appFields, accessTokenTtlS: z.number().positive().default(10_800) });
const notifyShape = z.strictObject(copiesShape);
const webhooksShape = z.strictObject({
  ...orderShape,
  /** The number of the category. */
  appli: z.string().regex(/^\d{1,3}$/),
  /** As they stand in the form: `startdate`, `enddate`, `date`, `action`, `deviceid`. */
  fields: z.record(z.string(), z.string()).default({}),
  forge: z.enum(forgeries).optional(),
});

/** `/control/withings/…` */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  /** By collection and id, as it last was: what went is told of too. */
  const last = new Map<string, WithingsDocument>();

  controls(scope, {
    world,
    sender,
    announcer,
    appShape,
    subjectIdShape: z.string().regex(/^[1-9]\d{0,14}$/),
    scopes: withingsScopes,
    collections: collectionNames,
    wholeDocument: (collection, id, given) => {
      const whole = wholeDocument(collection as Collection, id, given, world.now());
      last.set(`${collection} ${id}`, whole);
      return whole;
    },
    notifyShape,
    announce: ({ subjectId, collection, id }, notify) => {
      const document = last.get(`${collection} ${id}`);
      if (document === undefined) return Promise.resolve([]);
      const { appli, fields } = fieldsAbout(collection as Collection, document);
      return announcer.announce({ subjectId, dataType: appli, fields }, notify);
    },
  });

  orderControl(scope, (body) => {
    const order = webhooksShape.parse(body);
    const send = orderedSends(world, sender, order, {
      targets: ({ appli }) => {
        const matching = world.subscriptions().filter((one) => one.appli === appli);
        const own = matching.filter((one) => one.subjectId === order.subjectId);
        if (matching.length === 0) throw new ControlRefusal(409, 'no_subscription', `Nobody is subscribed to appli ${appli}.`);
        return own.length > 0 ? own : matching.slice(0, 1);
      },
      facts: ({ subjectId, appli, fields }) => ({ subjectId, dataType: appli, fields }),
      isAbout: (facts, { subjectId, appli }) => facts.subjectId === subjectId && facts.dataType === appli,
      stamp: (facts, forge) => webhookPost(facts, forge),
    });
    return { wait: order.wait, send };
  });

  scope.get('/subscriptions', async () => ({ subscriptions: world.subscriptions() }));
}
