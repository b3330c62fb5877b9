import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type ReadManners, admitted, answered } from '../reads.js';
import { documentsOf } from '../world.js';
import { type GooglePoint, dayAfter, daysOf, filterMembers, googleScopes, pointsOf, typeName, types } from './documents.js';
import { refused } from './google-refusal.js';
import type { GoogleWorld } from './google-world.js';

const manners: ReadManners = {
  unauthorised: () => refused(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
  limited: () => refused(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.'),
  forbidden: () => refused(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.'),
  faulty: (status) => refused(status, 'UNAVAILABLE', 'Ordered by the control API.'),
};

const DEFAULT_PAGE = 1440;
const filterShape = /^([a-z0-9_-]+)\.([a-z_.]+) >= "([^"]*)" AND \1\.\2 < "([^"]*)"$/;
const civilTime = z.looseObject({
  date: z.looseObject({ year: z.int(), month: z.int(), day: z.int() }),
  time: z.looseObject({}).optional(),
});
const rollupShape = z.looseObject({
  range: z.looseObject({ start: civilTime, end: civilTime }),
  windowSizeDays: z.literal(1).default(1),
});

type OfType = { Params: { type: string } };

/** `/v4/users/me/…`, and the key set that signatures are looked up in. */
export function readRoutes(scope: FastifyInstance, world: GoogleWorld): void {
  scope.get('/googlehealthapi/webhooks/webhooks_public_keyset.json', async () => world.keyset());

  scope.get('/v4/users/me/identity', async (request, reply) => {
    const read = { kind: 'personalInfoReads', collection: undefined, scopes: googleScopes } as const;
    const { person } = admitted(world, request, read, manners);
    const identity = { name: 'users/me/identity', legacyUserId: `L${person.subjectId.slice(-5)}`, healthUserId: person.subjectId };
    return answered(world, reply, identity, manners);
  });

  scope.get<OfType>('/v4/users/me/dataTypes/:type/dataPoints', async (request, reply) => {
    const type = pointsOf[request.params.type] ?? request.params.type;
    const rules = rulesOf(request.params.type, type);
    if (rules.kind === 'rollup') throw refused(400, 'INVALID_ARGUMENT', 'This type has no list.');
    const { person } = admitted(world, request, { kind: 'listReads', collection: type, scopes: [rules.scope] }, manners);
    const query = new URL(request.url, 'http://sandbox').searchParams;
    const found = filtered(type, documentsOf(person, type), query.get('filter'));
    const size = Math.min(Number(query.get('pageSize') ?? DEFAULT_PAGE), world.faults.pageSize);
    return answered(world, reply, pageOf(found, query.get('pageToken'), size), manners);
  });

  // A colon is written twice in a route.
  scope.post<OfType>('/v4/users/me/dataTypes/:type/dataPoints::dailyRollUp', async (request, reply) => {
    const type = daysOf[request.params.type] ?? request.params.type;
    const rules = rulesOf(request.params.type, type);
    if (rules.kind !== 'rollup') throw refused(400, 'INVALID_ARGUMENT', 'This type cannot be rolled up.');
    const { person } = admitted(world, request, { kind: 'listReads', collection: type, scopes: [rules.scope] }, manners);
    const asked = rollupShape.safeParse(request.body);
    if (!asked.success) throw refused(400, 'INVALID_ARGUMENT', 'The range is not of two civil times.');
    const [from, to] = [dayOf(asked.data.range.start), dayOf(asked.data.range.end)];
    if (to <= from || (Date.parse(to) - Date.parse(from)) / 86_400_000 > rules.maxDays) {
      throw refused(400, 'INVALID_ARGUMENT', `The range is not of 1 to ${rules.maxDays} days.`);
    }
    const held = documentsOf(person, type);
    const points: unknown[] = [];
    for (let day = from; day < to; day = dayAfter(day)) {
      const one = held.get(day);
      if (one !== undefined) points.push(one.point);
    }
    return answered(world, reply, points.length === 0 ? {} : { rollupDataPoints: points }, manners);
  });
}

/** @param asked as the address names it. @param type the collection in which it is kept. */
function rulesOf(asked: string, type: string) {
  const rules = types[type];
  if (rules === undefined || typeName(asked) !== asked) throw refused(400, 'INVALID_ARGUMENT', 'The type is not known.');
  return rules;
}

/** A filter in the dialect of another kind of type finds nothing, with 200; one with hyphens is refused. */
function filtered(type: string, held: ReadonlyMap<string, GooglePoint>, filter: string | null): (readonly [string, GooglePoint])[] {
  const [, name = '', member = '', from = '', to = ''] = filterShape.exec(filter ?? '') ?? [];
  if (filter !== null && (name === '' || name.includes('-'))) throw refused(400, 'INVALID_ARGUMENT', 'INVALID_DATA_POINT_FILTER');
  const asked = typeName(type);
  const isRight = filter === null || (name === asked.replaceAll('-', '_') && member === filterMembers[rulesOf(asked, type).kind]);
  return [...held]
    .filter(([, { key }]) => isRight && (filter === null || (key >= from && key < to)))
    .map(([id, point]): [string, GooglePoint] => [`${point.key} ${id}`, point])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Pages go on from a key and not from a count; a page without points has no list. */
function pageOf(found: readonly (readonly [string, GooglePoint])[], token: string | null, size: number): object {
  const after = token === null ? '' : Buffer.from(token, 'base64url').toString();
  const left = found.filter(([key]) => key > after);
  const page = left.slice(0, size);
  const last = page.at(-1);
  return {
    ...(page.length > 0 && { dataPoints: page.map(([, { point }]) => point) }),
    ...(last !== undefined && left.length > page.length && { nextPageToken: Buffer.from(last[0]).toString('base64url') }),
  };
}

function dayOf({ date: { year, month, day } }: z.infer<typeof civilTime>): string {
  return [String(year), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}
