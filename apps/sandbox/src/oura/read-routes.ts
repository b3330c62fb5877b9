import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { makeNextToken, readNextToken } from '../next-token.js';
import { type ReadManners, admitted, answered } from '../reads.js';
import { documentsOf } from '../world.js';
import { type Collection, type DayRange, type PageEnd, collectionNames, collections, dayBefore, pageOf, samplesOf } from './documents.js';
import { refused } from './oura-refusal.js';
import type { OuraWorld } from './oura-world.js';

const manners: ReadManners = {
  unauthorised: () => refused(401, 'The access token is expired, malformed or revoked.', { 'www-authenticate': 'Bearer' }),
  limited: ({ limit, windowS, tier, resetInS, resetAtS }) =>
    refused(429, 'Request Rate Limit Exceeded.', {
      'retry-after': String(resetInS),
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-window': String(windowS),
      'x-ratelimit-reset': String(resetAtS),
      'x-ratelimit-tier': tier,
    }),
  forbidden: () => refused(403, 'The person did not grant the scope that this needs.'),
  faulty: (status) => refused(status, 'Ordered by the control API.'),
};

/** `/v2/usercollection/…` */
export function readRoutes(scope: FastifyInstance, world: OuraWorld): void {
  const pageKey = randomBytes(32);

  scope.get('/v2/usercollection/personal_info', async (request, reply) => {
    const { grant, person } = admitted(
      world,
      request,
      { kind: 'personalInfoReads', collection: undefined, scopes: ['personal', 'email'] },
      manners,
    );
    const personal = grant.scopes.includes('personal');
    return answered(
      world,
      reply,
      {
        id: person.subjectId,
        age: personal ? 36 : null,
        weight: personal ? 72.5 : null,
        height: personal ? 1.75 : null,
        biological_sex: personal ? 'female' : null,
        email: grant.scopes.includes('email') ? `${person.subjectId}@example.test` : null,
      },
      manners,
    );
  });

  scope.get<{ Params: { collection: string } }>('/v2/usercollection/:collection', async (request, reply) => {
    const collection = knownCollection(request.params.collection);
    const { person } = admitted(world, request, { kind: 'listReads', collection, scopes: [collections[collection].scope] }, manners);
    const query = new URL(request.url, 'http://sandbox').searchParams;
    const owner = `${person.subjectId}\0${collection}`;
    const token = query.get('next_token') ?? undefined;
    const read = token === undefined ? undefined : (readNextToken(pageKey, owner, token) ?? 'unreadable');
    const held = documentsOf(person, collection).values();
    const isByTime = collections[collection].samples === true;
    const asked = isByTime ? askedSamples(query, read) : askedPage(query, read, world.now());
    const page = { after: asked.after, size: world.faults.pageSize };
    const { data, next } = isByTime ? samplesOf(held, asked.range, page) : pageOf(collection, held, asked.range, page);
    return answered(
      world,
      reply,
      {
        data,
        next_token: next === undefined ? null : makeNextToken(pageKey, owner, { range: asked.range, after: next }),
      },
      manners,
    );
  });

  scope.get<{ Params: { collection: string; id: string } }>('/v2/usercollection/:collection/:id', async (request, reply) => {
    const collection = knownCollection(request.params.collection);
    if (collections[collection].samples === true) throw refused(404, 'Not Found');
    const { person } = admitted(world, request, { kind: 'objectReads', collection, scopes: [collections[collection].scope] }, manners);
    const hidden = world.faults.takeNotReady();
    const document = hidden ? undefined : documentsOf(person, collection).get(request.params.id);
    return answered(world, reply, document ?? refused(404, 'Document not found.'), manners);
  });
}

/** The first page by the dates of the query, a later one by its token; dates beside a token must be those it was made with. */
function askedPage(query: URLSearchParams, token: { range: DayRange; after: PageEnd } | 'unreadable' | undefined, now: number) {
  if (token === 'unreadable') throw refused(400, 'next_token is not valid for this request.');
  const start = dayOf(query, 'start_date');
  const end = dayOf(query, 'end_date');
  if (token !== undefined) {
    if ((start ?? token.range.start) !== token.range.start || (end ?? token.range.end) !== token.range.end) {
      throw refused(400, 'next_token belongs to other dates.');
    }
    return token;
  }
  const lastDay = end ?? new Date(now).toISOString().slice(0, 10);
  const range = { start: start ?? dayBefore(lastDay), end: lastDay };
  if (range.start > range.end) throw refused(400, 'start_date is after end_date.');
  return { range, after: undefined };
}

/** Both times must be given, and be no more than 30 days apart. */
function askedSamples(query: URLSearchParams, token: { range: DayRange; after: PageEnd } | 'unreadable' | undefined) {
  if (token === 'unreadable') throw refused(400, 'next_token is not valid for this request.');
  const range = { start: query.get('start_datetime') ?? '', end: query.get('end_datetime') ?? '' };
  const lengthMs = Date.parse(range.end) - Date.parse(range.start);
  if (!(lengthMs > 0 && lengthMs <= 30 * 86_400_000)) throw refused(400, 'start_datetime and end_datetime are no span of up to 30 days.');
  if (token !== undefined && (token.range.start !== range.start || token.range.end !== range.end)) {
    throw refused(400, 'next_token belongs to other times.');
  }
  return { range, after: token?.after };
}

function dayOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const day = /^(\d{4}-\d{2}-\d{2})(T\S+)?$/.exec(text)?.[1];
  const instant = Date.parse(day === text ? `${text}T00:00:00Z` : text);
  if (day === undefined || Number.isNaN(instant)) throw refused(400, `${name} is not a date.`);
  return day;
}

function knownCollection(name: string): Collection {
  const known = collectionNames.find((collection) => (collections[collection].path ?? collection) === name);
  if (known === undefined) throw refused(404, 'Not Found');
  return known;
}
