import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ReadManners, admitted, answered } from '../reads.js';
import { type Person, documentsOf } from '../world.js';
import { type Collection, type WhoopDocument, scopeOf, startOf } from './documents.js';
import { refused } from './whoop-refusal.js';
import type { WhoopWorld } from './whoop-world.js';

const manners: ReadManners = {
  unauthorised: () => refused(401, 'Authorization was not valid'),
  limited: ({ limit, windowS, resetInS }) =>
    refused(429, 'Too many requests', {
      'x-ratelimit-limit': `${limit}, ${limit};window=${windowS}, 10000;window=86400`,
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(resetInS),
    }),
  forbidden: () => refused(403, 'The scope that this needs was not granted'),
  faulty: (status) => refused(status, 'Ordered by the control API'),
};

const MOST = 25;
const root = '/developer/v2';
const paths = { cycle: 'cycle', sleep: 'activity/sleep', recovery: 'recovery', workout: 'activity/workout' } as const;
type Listed = keyof typeof paths;
type ById = { Params: { id: string } };

/** `/developer/v2/…` */
export function readRoutes(scope: FastifyInstance, world: WhoopWorld): void {
  const reader = (request: FastifyRequest, collection: Collection, kind: 'objectReads' | 'listReads') =>
    admitted(world, request, { kind, collection, scopes: [scopeOf[collection]] }, manners).person;
  const shown = (person: Person<WhoopDocument>, collection: Collection, find: (document: WhoopDocument) => boolean) => {
    const document = world.faults.takeNotReady() ? undefined : documentsIn(person, collection).find(find);
    return document ?? refused(404, 'No resource found');
  };

  scope.get(`${root}/user/profile/basic`, async (request, reply) => {
    const { person } = admitted(world, request, { kind: 'personalInfoReads', collection: undefined, scopes: ['read:profile'] }, manners);
    const [first = '', ...rest] = person.name.split(' ');
    const profile = { user_id: Number(person.subjectId), email: 'somebody@example.test', first_name: first, last_name: rest.join(' ') };
    return answered(world, reply, profile, manners);
  });

  scope.get(`${root}/user/measurement/body`, async (request, reply) => {
    const person = reader(request, 'body', 'objectReads');
    return answered(
      world,
      reply,
      shown(person, 'body', () => true),
      manners,
    );
  });

  for (const [name, path] of Object.entries(paths)) {
    const collection = name as Listed;
    scope.get(`${root}/${path}`, async (request, reply) => {
      const person = reader(request, collection, 'listReads');
      const sleeps = documentsOf(person, 'sleep');
      const page = pageOf(documentsIn(person, collection), new URL(request.url, 'http://sandbox').searchParams, {
        size: world.faults.pageSize,
        // A recovery has no time of its own but that of being worked out.
        startOf: (document) => startOf(sleeps.get(String(document['sleep_id'])) ?? document),
      });
      return answered(world, reply, page, manners);
    });
    // A recovery has no address of its own.
    if (collection === 'recovery') continue;
    scope.get<ById>(`${root}/${path}/:id`, async (request, reply) => {
      const person = reader(request, collection, 'objectReads');
      const document = shown(person, collection, (one) => String(one['id']) === request.params.id);
      return answered(world, reply, document, manners);
    });
  }

  for (const collection of ['sleep', 'recovery'] as const) {
    scope.get<ById>(`${root}/cycle/:id/${collection}`, async (request, reply) => {
      const person = reader(request, collection, 'objectReads');
      const document = shown(person, collection, (one) => String(one['cycle_id']) === request.params.id && one['nap'] !== true);
      return answered(world, reply, document, manners);
    });
  }
}

/** Without its sleep there is no recovery. */
function documentsIn(person: Person<WhoopDocument>, collection: Collection): WhoopDocument[] {
  const sleeps = documentsOf(person, 'sleep');
  return [...documentsOf(person, collection).values()].filter(
    (document) => collection !== 'recovery' || sleeps.has(String(document['sleep_id'])),
  );
}

/** Newest first; `start` is inside and `end` outside. Pages go on from a key and not from a count. */
function pageOf(
  documents: readonly WhoopDocument[],
  query: URLSearchParams,
  { size, startOf: at }: { size: number; startOf: (document: WhoopDocument) => string },
) {
  const limit = Number(query.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw refused(400, `limit is not from 1 to ${MOST}`);
  const from = instantOf(query, 'start') ?? '';
  const to = instantOf(query, 'end') ?? '~';
  const cursor = query.get('nextToken');
  const before = cursor === null ? '~' : Buffer.from(cursor, 'base64url').toString();
  const key = (document: WhoopDocument) => `${at(document)} ${String(document['id'] ?? document['sleep_id'])}`;
  const left = documents
    .filter((document) => at(document) >= from && at(document) < to && key(document) < before)
    .sort((a, b) => (key(a) < key(b) ? 1 : -1));
  const records = left.slice(0, Math.min(limit, size));
  const last = records.at(-1);
  return { records, next_token: last !== undefined && left.length > records.length ? Buffer.from(key(last)).toString('base64url') : null };
}

function instantOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw refused(400, `${name} is not an instant`);
  return new Date(ms).toISOString();
}
