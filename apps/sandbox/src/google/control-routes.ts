import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Announcer } from '../announcer.js';
import { ControlRefusal } from '../control-refusal.js';
import { appFields, controls, orderControl } from '../controls.js';
import { copiesShape, orderShape, orderedSends } from '../ordered-sends.js';
import type { Target, WebhookSender } from '../webhook-sender.js';
import { googleScopes, typeNames, wholePoint } from './documents.js';
import type { GoogleWorld } from './google-world.js';
import { SigningKey } from './signing-key.js';
import { isProved, probe } from './subscriber-routes.js';
import { type WebhookFacts, forgedPost, forgeries, signedPost, webhookBody } from './webhook-message.js';

interface ControlParts {
  readonly world: GoogleWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer<WebhookFacts>;
}

const subscriberShape = z.strictObject({
  endpointUri: z.url({ protocol: /^https?$/ }),
  secret: z.string().regex(/^(Bearer|Basic) \S+$/, 'expected a scheme and a secret'),
});
const appShape = z
  .strictObject({ ...appFields, accessTokenTtlS: z.number().positive().default(3_599) })
  .transform((app) => ({ ...app, subscriber: null, account: null }));
const accountShape = z.strictObject({ clientEmail: z.email(), publicKey: z.string().startsWith('-----BEGIN PUBLIC KEY-----') });
const stateShape = z.strictObject({ state: z.enum(['ACTIVE', 'INACTIVE']) });
const instant = z.iso.datetime({ offset: true });
const webhooksShape = z.strictObject({
  ...orderShape,
  collection: z.string().min(1),
  operation: z.enum(['UPSERT', 'DELETE']).default('UPSERT'),
  startTime: instant,
  endTime: instant,
  forge: z.enum(forgeries).optional(),
});

/** `/control/google/…` */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  controls(scope, {
    world,
    sender,
    announcer,
    appShape,
    subjectIdShape: z.string().regex(/^[A-Za-z0-9-]{1,63}$/),
    scopes: googleScopes,
    collections: typeNames,
    wholeDocument: (collection, id, given, subjectId) => {
      const point = wholePoint({ collection, id, subjectId, now: world.now() }, given);
      world.noteSpan({ subjectId, collection, id }, point.span);
      return point;
    },
    notifyShape: z.strictObject(copiesShape),
    announce: async ({ subjectId, collection, id, change }, notify) => {
      const span = world.spanOf({ subjectId, collection, id });
      if (span === undefined) return [];
      const operation = change === 'delete' ? 'DELETE' : 'UPSERT';
      return announcer.announce({ subjectId, dataType: collection, operation, ...span }, notify);
    },
  });

  orderControl(scope, (body) => {
    const order = webhooksShape.parse(body);
    const send = orderedSends(world, sender, order, {
      targets: () => targetsOf(world),
      facts: ({ subjectId, collection, operation, startTime, endTime }) => ({
        subjectId,
        dataType: collection,
        operation,
        startTime,
        endTime,
      }),
      isAbout: (facts, { subjectId, collection }) => facts.subjectId === subjectId && facts.dataType === collection,
      secretOf: (clientId) => world.apps.get(clientId)?.subscriber?.secret ?? '',
      stamp: (facts, forge, keys) =>
        forge === undefined
          ? signedPost(webhookBody(facts), keys.secret, world.key)
          : forgedPost(forge, webhookBody(facts), keys, { key: world.key, otherKey: new SigningKey(world.key.keyId) }),
    });
    return { wait: order.wait, send };
  });

  /** What a service account of the project does at the real one; the address is probed in the same way. */
  scope.put<{ Params: { clientId: string } }>('/apps/:clientId/subscriber', async ({ params, body }) => {
    const app = world.apps.get(params.clientId);
    if (app === undefined) throw new ControlRefusal(404, 'not_found', 'There is no app with this clientId.');
    const subscriber = subscriberShape.parse(body);
    const answers = await probe(subscriber);
    if (!isProved(answers)) throw new ControlRefusal(409, 'FAILED_PRECONDITION', `The probes were answered ${answers.join(' and ')}.`);
    app.subscriber = subscriber;
    return { clientId: app.clientId, ...subscriber };
  });

  /** Lets a service account manage the subscribers of the app's project. */
  scope.put<{ Params: { clientId: string } }>('/apps/:clientId/service-account', async ({ params, body }) => {
    const app = world.apps.get(params.clientId);
    if (app === undefined) throw new ControlRefusal(404, 'not_found', 'There is no app with this clientId.');
    app.account = accountShape.parse(body);
    return { clientId: app.clientId, clientEmail: app.account.clientEmail };
  });

  /** Switches the subscriber off, as Google does with one whose address fails, or on. */
  scope.put<{ Params: { clientId: string } }>('/apps/:clientId/subscriber-state', async ({ params, body }) => {
    const subscriber = world.apps.get(params.clientId)?.subscriber;
    if (subscriber == null) throw new ControlRefusal(404, 'not_found', 'There is no such subscriber.');
    subscriber.state = stateShape.parse(body).state;
    return { clientId: params.clientId, state: subscriber.state };
  });

  /** The one before it stays in the key set. */
  scope.post('/rotate-key', async () => {
    world.rotateKey();
    return { keyId: world.key.keyId };
  });
}

/** Every app that has a subscriber which is not switched off. */
export function targetsOf(world: GoogleWorld): Target[] {
  return [...world.apps.values()].flatMap(({ clientId, subscriber }) =>
    subscriber === null || subscriber.state === 'INACTIVE' ? [] : [{ id: clientId, clientId, callbackUrl: subscriber.endpointUri }],
  );
}
