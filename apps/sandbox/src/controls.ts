import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ControlRefusal } from './control-refusal.js';
import { faultsShape } from './faults.js';
import type { Delivery, Facts, WebhookSender } from './webhook-sender.js';
import { type App, type Person, type World, documentsOf } from './world.js';

// Unknown fields are refused, so that a misspelt switch cannot pass for one that is on.

export const text = z.string().min(1).max(500);

/** What is told of every app; a provider adds its own. */
export const appFields = { clientId: text, clientSecret: text, redirectUris: z.array(z.url()).default([]) };

const rotateShape = z.strictObject({
  clientSecret: text,
  /** The earlier ones are refused from now on. */
  retireOld: z.boolean().default(false),
});

type Subject = { Params: { subjectId: string } };
type DocumentAddress = { Params: { subjectId: string; collection: string; id: string }; Querystring: Record<string, string> };
type Registered<A extends App> = Omit<A, 'secrets' | 'redirectUris'> & {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
};

export interface ControlManners<A extends App, D, F extends Facts, N> {
  readonly world: World<A, D>;
  readonly sender: WebhookSender<F>;
  /** Sends at once what waits to be overtaken, or forgets it. */
  readonly announcer: { release(): Promise<void>; clear(): void };
  readonly appShape: z.ZodType<Registered<A>>;
  readonly subjectIdShape: z.ZodType<string>;
  readonly scopes: readonly [string, ...string[]];
  readonly collections: readonly [string, ...string[]];
  /** Makes a whole document of the fields that a caller gave. Throws z.ZodError. */
  readonly wholeDocument: (collection: string, id: string, given: Readonly<Record<string, unknown>>, subjectId: string) => D;
  readonly notifyShape: z.ZodType<N>;
  readonly announce: (change: DocumentChange, notify: N) => Promise<Delivery[]>;
}

export interface DocumentChange {
  readonly subjectId: string;
  readonly collection: string;
  readonly id: string;
  readonly change: 'create' | 'update' | 'delete';
}

/** `/control/<provider>/…`: for tests and the demo. No provider has anything like it. */
export function controls<A extends App, D, F extends Facts, N>(scope: FastifyInstance, manners: ControlManners<A, D, F, N>): void {
  const { world, sender, announcer } = manners;
  appRoutes(scope, manners);
  peopleRoutes(scope, manners);
  documentRoutes(scope, manners);

  scope.get<{ Querystring: Record<string, string> }>('/webhooks', async (request) => ({
    webhooks: sender
      .sent()
      .filter(({ facts }) => request.query.subjectId === undefined || facts.subjectId === request.query.subjectId)
      .map(({ post, facts, ...sent }) => ({ ...sent, ...facts, headers: post.headers, body: post.body.toString() })),
  }));

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

/** Sends what was ordered at once, or answers 202 and sends afterwards. */
export function orderControl(
  scope: FastifyInstance,
  sendsOf: (body: unknown) => { readonly wait: boolean; readonly send: () => Promise<Delivery[]> },
): void {
  scope.post('/webhooks', async (request, reply) => {
    const { wait, send } = sendsOf(request.body);
    if (wait) return { deliveries: await send() };
    void send();
    reply.code(202);
    return { deliveries: [] };
  });
}

function appRoutes<A extends App, D, F extends Facts, N>(scope: FastifyInstance, { world, appShape }: ControlManners<A, D, F, N>): void {
  scope.post('/apps', async (request, reply) => {
    const { clientSecret, redirectUris, ...rest } = appShape.parse(request.body);
    if (world.apps.has(rest.clientId)) throw new ControlRefusal(409, 'conflict', 'There is an app with this clientId already.');
    world.apps.set(rest.clientId, { ...rest, secrets: [clientSecret], redirectUris: new Set(redirectUris) } as unknown as A);
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

function peopleRoutes<A extends App, D, F extends Facts, N>(
  scope: FastifyInstance,
  { world, scopes: known, subjectIdShape }: ControlManners<A, D, F, N>,
): void {
  const personShape = z.strictObject({ name: text.optional(), subjectId: subjectIdShape.optional() });
  const grantShape = z.strictObject({
    clientId: text,
    scopes: z
      .array(z.enum(known))
      .min(1)
      .default([...known]),
  });

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

function documentRoutes<A extends App, D, F extends Facts, N>(scope: FastifyInstance, manners: ControlManners<A, D, F, N>): void {
  const { world, collections, wholeDocument, notifyShape, announce } = manners;
  const collectionShape = z.enum(collections);
  const placeOf = ({ params }: FastifyRequest<DocumentAddress>) => {
    const collection = collectionShape.parse(params.collection);
    return { ...params, collection, held: documentsOf(personOf(world, params.subjectId), collection) };
  };

  scope.put<DocumentAddress>('/people/:subjectId/documents/:collection/:id', async (request, reply) => {
    const { subjectId, collection, id, held } = placeOf(request);
    const { document, notify } = documentAndNotify(request, notifyShape);
    const change = held.has(id) ? 'update' : 'create';
    const whole = wholeDocument(collection, id, document, subjectId);
    held.set(id, whole);
    const deliveries = notify === undefined ? [] : await announce({ subjectId, collection, id, change }, notify);
    reply.code(change === 'create' ? 201 : 200);
    return { document: whole, deliveries };
  });

  scope.delete<DocumentAddress>('/people/:subjectId/documents/:collection/:id', async (request) => {
    const { subjectId, collection, id, held } = placeOf(request);
    const notify = notifyOf(request, bodyOf(request).notify, notifyShape);
    if (!held.delete(id)) throw new ControlRefusal(404, 'not_found', 'There is no such document.');
    return { deliveries: notify === undefined ? [] : await announce({ subjectId, collection, id, change: 'delete' }, notify) };
  });
}

/** The body is the document itself, or `{document, notify}`; in both cases `?notify=true` announces it. */
function documentAndNotify<N>(
  request: FastifyRequest<DocumentAddress>,
  shape: z.ZodType<N>,
): { document: Record<string, unknown>; notify: N | undefined } {
  const body = bodyOf(request);
  if (!('document' in body)) return { document: body, notify: notifyOf(request, undefined, shape) };
  const { document, notify, ...unknown } = body;
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw new ControlRefusal(422, 'validation_failed', `${stray}: is not a field beside document and notify`);
  return { document: asRecord(document), notify: notifyOf(request, notify, shape) };
}

function notifyOf<N>(request: FastifyRequest<DocumentAddress>, given: unknown, shape: z.ZodType<N>): N | undefined {
  if (given !== undefined && given !== false) return shape.parse(given === true ? {} : given);
  const inQuery = request.query.notify;
  if (inQuery === undefined || inQuery === 'false') return undefined;
  if (inQuery !== 'true' && inQuery !== '')
    throw new ControlRefusal(422, 'validation_failed', 'notify: expected true or false in the query');
  return shape.parse({});
}

const bodyOf = ({ body }: FastifyRequest): Record<string, unknown> => (body === undefined ? {} : asRecord(body));

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ControlRefusal(422, 'validation_failed', 'The body is not a JSON object.');
}

function appOf<A extends App>(world: Pick<World<A>, 'apps'>, clientId: string): A {
  const app = world.apps.get(clientId);
  if (app === undefined) throw new ControlRefusal(404, 'not_found', 'There is no app with this clientId.');
  return app;
}

function personOf<D>(world: Pick<World<App, D>, 'people'>, subjectId: string): Person<D> {
  const person = world.people.get(subjectId);
  if (person === undefined) throw new ControlRefusal(404, 'not_found', 'There is no person with this subjectId.');
  return person;
}
