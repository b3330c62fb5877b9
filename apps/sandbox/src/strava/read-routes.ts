import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Grant } from '../grant-book.js';
import { type Read, type ReadManners, admitted, answered } from '../reads.js';
import { type Person, documentsOf } from '../world.js';
import { type StravaDocument, summaryOf } from './documents.js';
import { notFound, refused } from './strava-refusal.js';
import type { StravaWorld } from './strava-world.js';

const MOST = 200;
const readsActivities = ['activity:read', 'activity:read_all'];
type ById = { Params: { id: string } };

/** The window that the control API ordered stands for the quarter of an hour; the day's is far from spent. */
const manners: ReadManners = {
  unauthorised: () => refused(401, 'Authorization Error', ['Athlete', 'access_token', 'invalid']),
  limited: ({ limit, used }) =>
    refused(429, 'Rate Limit Exceeded', ['Application', 'rate limit', 'exceeded'], {
      'x-ratelimit-limit': '200,2000',
      'x-ratelimit-usage': '1,1',
      'x-readratelimit-limit': `${limit},1000`,
      'x-readratelimit-usage': `${used},1`,
    }),
  forbidden: () => refused(401, 'Authorization Error', ['AccessToken', 'activity:read_permission', 'missing']),
  faulty: (status) => refused(status, 'Ordered by the control API', ['Application', 'control', 'ordered']),
};

/** `/api/v3/…` */
export function readRoutes(scope: FastifyInstance, world: StravaWorld): void {
  const reader = (request: FastifyRequest, kind: Read['kind']) =>
    admitted(world, request, { kind, collection: 'activity', scopes: readsActivities }, manners);

  scope.get('/api/v3/athlete', async (request, reply) => {
    const { grant, person } = admitted(world, request, { kind: 'personalInfoReads', collection: undefined, scopes: [] }, manners);
    const profile = [...documentsOf(person, 'athlete').values()][0] ?? {};
    const { weight, ...shown } = { weight: null, ...profile, id: Number(person.subjectId), resource_state: 3 };
    return answered(world, reply, grant.scopes.includes('profile:read_all') ? { ...shown, weight } : shown, manners);
  });

  scope.get('/api/v3/athlete/activities', async (request, reply) => {
    const query = new URL(request.url, 'http://sandbox').searchParams;
    return answered(world, reply, pageOf(activitiesOf(reader(request, 'listReads')), query, world.faults.pageSize), manners);
  });

  scope.get<ById>('/api/v3/activities/:id', async (request, reply) => {
    const all = activitiesOf(reader(request, 'objectReads'));
    const hidden = world.faults.takeNotReady();
    const activity = hidden ? undefined : all.find((one) => String(one['id']) === request.params.id);
    return answered(world, reply, activity ?? notFound('Activity'), manners);
  });

  scope.get<ById>('/api/v3/activities/:id/streams', async (request, reply) => {
    const access = reader(request, 'objectReads');
    const visible = activitiesOf(access).some((one) => String(one['id']) === request.params.id);
    const streams = visible ? documentsOf(access.person, 'streams').get(request.params.id) : undefined;
    return answered(world, reply, streams === undefined ? notFound('Activity') : byType(streams), manners);
  });
}

/** What nobody else may see is as if it were not there, unless the grant says so. */
function activitiesOf({ grant, person }: { grant: Grant; person: Person<StravaDocument> }): StravaDocument[] {
  const all = grant.scopes.includes('activity:read_all');
  return [...documentsOf(person, 'activity').values()].filter((one) => all || one['private'] !== true);
}

/** Newest first. A page can be shorter than asked for: only an empty one is the last. */
function pageOf(documents: readonly StravaDocument[], query: URLSearchParams, pageSize: number): StravaDocument[] {
  const number = (name: string, missing: number) => {
    const value = Number(query.get(name) ?? missing);
    if (!Number.isInteger(value)) throw refused(400, 'Bad Request', ['Athlete', name, 'invalid']);
    return value;
  };
  const startS = (document: StravaDocument) => Date.parse(String(document['start_date'])) / 1000;
  const [after, before] = [number('after', 0), number('before', Number.MAX_SAFE_INTEGER)];
  const size = Math.min(number('per_page', 30), pageSize, MOST);
  const from = (number('page', 1) - 1) * size;
  return documents
    .filter((document) => startS(document) > after && startS(document) < before)
    .sort((a, b) => startS(b) - startS(a))
    .slice(from, from + size)
    .map(summaryOf);
}

function byType(streams: StravaDocument) {
  return Object.fromEntries(
    Object.entries(streams).map(([type, data]) => [
      type,
      { data, series_type: 'time', original_size: (data as unknown[]).length, resolution: 'high' },
    ]),
  );
}
