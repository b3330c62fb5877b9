import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallKind } from '../call-ledger.js';
import { type ReadManners, admitted, answered } from '../reads.js';
import { documentsOf } from '../world.js';
import { type Collection, PHYSICAL_INFO_ID, type PolarDocument } from './documents.js';
import { refused } from './polar-refusal.js';
import type { PolarWorld } from './polar-world.js';

/** The daily limit, which no test reaches. */
const DAILY = { limit: 100_000, resetInS: 80_000 };

export const readManners: ReadManners = {
  unauthorised: () => refused(401, 'Unauthorized'),
  limited: ({ used, limit, resetInS }) =>
    refused(429, 'Too Many Requests', {
      'ratelimit-usage': `${used}, ${used}`,
      'ratelimit-limit': `${limit}, ${DAILY.limit}`,
      'ratelimit-reset': `${resetInS}, ${DAILY.resetInS}`,
    }),
  forbidden: () => refused(403, 'Forbidden'),
  faulty: (status) => refused(status, 'Ordered by the control API'),
};

/** Name of the list in the answer; undefined: the answer is the list. */
const lists: Readonly<Record<Exclude<Collection, 'exercises' | 'physical-info'>, string | undefined>> = {
  activities: undefined,
  sleep: 'nights',
  'nightly-recharge': 'recharges',
  'continuous-heart-rate': 'heart_rates',
  'skin-temperature': undefined,
  spo2: undefined,
};

/** Below `/v3/users/biosensing`, by ranges alone. */
const biosensing: Readonly<Record<string, keyof typeof lists>> = { skintemperature: 'skin-temperature', spo2: 'spo2' };
const sensed: ReadonlySet<string> = new Set(Object.values(biosensing));

const LONGEST_SPAN_DAYS = 28;
const DAY_MS = 86_400_000;

type Asked = { Params: { collection: string; date: string }; Querystring: Record<string, string> };

/** `/v3/exercises…` and `/v3/users/…`. */
export function readRoutes(scope: FastifyInstance, world: PolarWorld): void {
  scope.get('/v3/exercises', async (request, reply) => {
    const held = documentsRead(world, request, 'exercises', 'listReads');
    return say(
      world,
      reply,
      [...held.values()].map((exercise) => shown(exercise, request)),
    );
  });

  scope.get<{ Params: { id: string } }>('/v3/exercises/:id', async (request, reply) => {
    const held = documentsRead(world, request, 'exercises', 'objectReads');
    const exercise = world.faults.takeNotReady() ? undefined : held.get(request.params.id);
    return say(world, reply, exercise === undefined ? refused(404, 'Not Found') : shown(exercise, request));
  });

  scope.get('/v3/users/physical-info', async (request, reply) => {
    const held = documentsRead(world, request, 'physical-info', 'objectReads').get(PHYSICAL_INFO_ID);
    return held === undefined ? reply.code(204).send() : say(world, reply, held);
  });

  const list = (collection: keyof typeof lists, request: FastifyRequest<Asked>, reply: FastifyReply): Promise<unknown> => {
    const held = documentsRead(world, request, collection, 'listReads');
    const all = [...held].sort(([a], [b]) => (a < b ? -1 : 1));
    const { from, to } = request.query;
    const isInside = from === undefined && to === undefined ? () => true : span(from, to);
    const found = all.filter(([date]) => isInside(date)).map(([, document]) => document);
    const name = lists[collection];
    return say(world, reply, name === undefined ? found : { [name]: found });
  };

  scope.get<Asked>('/v3/users/:collection', async (request, reply) => list(listed(request.params.collection), request, reply));

  scope.get<Asked & { Params: { sensed: string } }>('/v3/users/biosensing/:sensed', async (request, reply) => {
    const collection = biosensing[request.params.sensed];
    if (collection === undefined) throw refused(404, 'Not Found');
    return list(collection, request, reply);
  });

  scope.get<Asked>('/v3/users/:collection/:date', async (request, reply) => {
    const collection = listed(request.params.collection);
    const held = documentsRead(world, request, collection, 'objectReads').get(request.params.date);
    return say(world, reply, held ?? refused(404, 'Not Found'));
  });
}

/** Nobody's data is shown whom the app did not register. */
function documentsRead(world: PolarWorld, request: FastifyRequest, collection: Collection, kind: CallKind): Map<string, PolarDocument> {
  const { grant, person } = admitted(world, request, { kind, collection, scopes: [] }, readManners);
  if (!world.isRegistered(grant.clientId, grant.subjectId)) throw refused(403, 'Forbidden');
  return documentsOf(person, collection);
}

const say = (world: PolarWorld, reply: FastifyReply, content: unknown): Promise<unknown> => answered(world, reply, content, readManners);

/** Samples and zones come only where they are asked for. */
function shown(exercise: PolarDocument, request: FastifyRequest): PolarDocument {
  const query = new URL(request.url, 'http://sandbox').searchParams;
  const { samples, heart_rate_zones: zones, ...plain } = exercise;
  return {
    ...plain,
    ...(query.get('samples') === 'true' ? { samples } : {}),
    ...(query.get('zones') === 'true' ? { heart_rate_zones: zones } : {}),
  };
}

function listed(name: string): keyof typeof lists {
  if (!Object.hasOwn(lists, name) || sensed.has(name)) throw refused(404, 'Not Found');
  return name as keyof typeof lists;
}

function span(from: string | undefined, to: string | undefined): (date: string) => boolean {
  const days = (Date.parse(to ?? '') - Date.parse(from ?? '')) / DAY_MS + 1;
  if (from === undefined || to === undefined || !(days >= 1 && days <= LONGEST_SPAN_DAYS)) throw refused(400, 'Bad Request');
  return (date) => date >= from && date <= to;
}
