import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ControlRefusal } from '../control-refusal.js';
import { faultsShape } from '../faults.js';
import type { Delivery, WebhookSender } from '../webhook-sender.js';
import type { Announcer } from './announcer.js';
import {
  type Notify,
  appShape,
  collectionShape,
  grantShape,
  notifyShape,
  personShape,
  rotateShape,
  webhooksShape,
} from './control-shapes.js';
import { type Collection, wholeDocument } from './documents.js';
import type { OuraApp, OuraWorld, Person } from './oura-world.js';
import type { EventType } from './scopes.js';
import { orderedSends } from './send-webhooks.js';
import type { WebhookFacts } from './webhook-message.js';

export interface ControlParts {
  readonly world: OuraWorld;
  readonly sender: WebhookSender<WebhookFacts>;
  readonly announcer: Announcer;
}

type Subject = { Params: { subjectId: string } };
type DocumentAddress = { Params: { subjectId: string; collection: string; id: string }; Querystring: Record<string, string> };

/** `/control/oura/…`: for tests and the demo. Oura has nothing like it. */
export function controlRoutes(scope: FastifyInstance, { world, sender, announcer }: ControlParts): void {
  appRoutes(scope, world);
  peopleRoutes(scope, world);
  documentRoutes(scope, world, announcer);

  scope.post('/webhooks', async (request, reply) => {
    const order = webhooksShape.parse(request.body);
    const send = orderedSends(world, sender, order);
    if (order.wait) return { deliveries: await send() };
    void send();
    reply.code(202);
    return { deliveries: [] };
  });

  scope.get<{ Querystring: Record<string, string> }>('/webhooks', async (request) => ({
    webhooks: sender
      .sent()
      .filter(({ facts }) => request.query.subjectId === undefined || facts.subjectId === request.query.subjectId)
      .map(({ post, facts, ...sent }) => ({ ...sent, ...facts, headers: post.headers, body: post.body.toString() })),
  }));

  scope.get('/subscriptions', async () => ({ subscriptions: world.subscriptions.all() }));

  scope.put('/faults', async (request) => {
    const faults = world.faults.set(faultsShape.parse(request.body ?? {}));
    if (!world.faults.reorders) await announcer.release();
    return faults;
  });

  scope.get('/faults', async () => world.faults.current());

  scope.delete('/faults', async (_request, reply) => {
    world.faults.clear();
    await announcer.release();
    return reply.code(204).send();
  });

  scope.get<{ Querystring: Record<string, string> }>('/calls', async (request) => world.ledger.counts(request.query.subjectId));

  scope.delete('/calls', async (_request, reply) => {
    world.ledger.clear();
    return reply.code(204).send();
  });

  /** Forgets everything: apps, people, grants, subscriptions, faults, counts, and webhooks that wait to be sent again. */
  scope.delete('/', async (_request, reply) => {
    announcer.clear();
    sender.clear();
    world.clear();
    return reply.code(204).send();
  });
}

function appRoutes(scope: FastifyInstance, world: OuraWorld): void {
  scope.post('/apps', async (request, reply) => {
    const { clientSecret, redirectUris, ...rest } = appShape.parse(request.body);
    if (world.apps.has(rest.clientId)) throw new ControlRefusal(409, 'conflict', 'There is an app with this clientId already.');
    world.apps.set(rest.clientId, { ...rest, secrets: [clientSecret], redirectUris: new Set(redirectUris) });
    reply.code(201);
    return { clientId: rest.clientId };
  });

  scope.post<{ Params: { clientId: string } }>('/apps/:clientId/rotate-secret', async (request) => {
    const app = appOf(world, request.params.clientId);
    const { clientSecret, retireOld } = rotateShape.parse(request.body);
    app.secrets = [clientSecret, ...(retireOld ? [] : app.secrets.filter((s) => s !== clientSecret))];
    return { clientId: app.clientId, liveSecrets: app.secrets.length };
  });
}

function peopleRoutes(scope: FastifyInstance, world: OuraWorld): void {
  scope.post('/people', async (request, reply) => {
    const { name, subjectId } = personShape.parse(request.body ?? {});
    if (subjectId !== undefined && world.people.has(subjectId))
      throw new ControlRefusal(409, 'conflict', 'There is a person with this subjectId already.');
    const person = world.addPerson(name ?? `Person ${world.people.size + 1}`, subjectId);
    reply.code(201);
    return { subjectId: person.subjectId, name: person.name };
  });

  scope.post<Subject>('/people/:subjectId/grants', async (request, reply) => {
    const { subjectId } = personOf(world, request.params.subjectId);
    const { clientId, scopes } = grantShape.parse(request.body);
    const app = appOf(world, clientId);
    const { accessToken, refreshToken, expiresInS } = world.grants.open({ clientId, subjectId, scopes, ttlS: app.accessTokenTtlS });
    reply.code(201);
    return { accessToken, refreshToken, expiresInS, scopes };
  });

  scope.get<Subject>('/people/:subjectId/grants', async (request) => ({
    grants: world.grants
      .all()
      .filter((g) => g.subjectId === request.params.subjectId)
      .map(({ id, clientId, scopes, alive }) => ({ id, clientId, scopes, alive })),
  }));

  scope.delete<Subject & { Querystring: Record<string, string> }>('/people/:subjectId/grants', async (request) => ({
    ended: world.grants.withdraw(request.params.subjectId, request.query.clientId),
  }));

  scope.get<Subject>('/people/:subjectId/truth', async (request) => {
    const person = personOf(world, request.params.subjectId);
    return {
      subjectId: person.subjectId,
      documents: Object.fromEntries(Object.entries(person.documents).map(([name, held]) => [name, [...held.values()]])),
    };
  });
}

function documentRoutes(scope: FastifyInstance, world: OuraWorld, announcer: Announcer): void {
  const announced = (
    facts: { subjectId: string; collection: Collection; id: string; eventType: EventType },
    notify: Notify,
  ): Promise<Delivery[]> =>
    announcer.announce(
      {
        subjectId: facts.subjectId,
        dataType: facts.collection,
        objectId: facts.id,
        eventType: notify.eventType ?? facts.eventType,
        eventTime: notify.eventTime ?? world.nextEventTime(),
      },
      notify,
    );

  scope.put<DocumentAddress>('/people/:subjectId/documents/:collection/:id', async (request, reply) => {
    const { subjectId, collection, id, held } = documentPlace(world, request);
    const { document, notify } = documentAndNotify(request);
    const isNew = !held.has(id);
    const whole = wholeDocument(collection, id, document);
    held.set(id, whole);
    const deliveries = notify ? await announced({ subjectId, collection, id, eventType: isNew ? 'create' : 'update' }, notify) : [];
    reply.code(isNew ? 201 : 200);
    return { document: whole, deliveries };
  });

  scope.delete<DocumentAddress>('/people/:subjectId/documents/:collection/:id', async (request) => {
    const { subjectId, collection, id, held } = documentPlace(world, request);
    const notify = notifyOf(request, bodyOf(request).notify);
    if (!held.delete(id)) throw new ControlRefusal(404, 'not_found', 'There is no such document.');
    return { deliveries: notify ? await announced({ subjectId, collection, id, eventType: 'delete' }, notify) : [] };
  });
}

function documentPlace(world: OuraWorld, request: FastifyRequest<DocumentAddress>) {
  const { subjectId, collection: name, id } = request.params;
  const collection = collectionShape.parse(name);
  return { subjectId, collection, id, held: personOf(world, subjectId).documents[collection] };
}

/** The body is the document itself, or `{document, notify}`; in both cases `?notify=true` announces it. */
function documentAndNotify(request: FastifyRequest<DocumentAddress>): { document: Record<string, unknown>; notify: Notify | undefined } {
  const body = bodyOf(request);
  if (!('document' in body)) return { document: body, notify: notifyOf(request, undefined) };
  const { document, notify, ...unknown } = body;
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw new ControlRefusal(422, 'validation_failed', `${stray}: is not a field beside document and notify`);
  return { document: asRecord(document), notify: notifyOf(request, notify) };
}

function notifyOf(request: FastifyRequest<DocumentAddress>, given: unknown): Notify | undefined {
  if (given !== undefined && given !== false) return notifyShape.parse(given === true ? {} : given);
  const inQuery = request.query.notify;
  if (inQuery === undefined || inQuery === 'false') return undefined;
  if (inQuery !== 'true' && inQuery !== '')
    throw new ControlRefusal(422, 'validation_failed', 'notify: expected true or false in the query');
  return notifyShape.parse({});
}

const bodyOf = ({ body }: FastifyRequest): Record<string, unknown> => (body === undefined ? {} : asRecord(body));

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ControlRefusal(422, 'validation_failed', 'The body is not a JSON object.');
}

function appOf(world: OuraWorld, clientId: string): OuraApp {
  const app = world.apps.get(clientId);
  if (app === undefined) throw new ControlRefusal(404, 'not_found', 'There is no app with this clientId.');
  return app;
}

function personOf(world: OuraWorld, subjectId: string): Person {
  const person = world.people.get(subjectId);
  if (person === undefined) throw new ControlRefusal(404, 'not_found', 'There is no person with this subjectId.');
  return person;
}
