import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ReadManners, admitted, answered } from '../reads.js';
import { documentsOf } from '../world.js';
import { type Collection, TIME_ZONE, type WithingsDocument } from './documents.js';
import { WithingsRefusal, formOf, statusOf } from './withings-refusal.js';
import type { WithingsWorld } from './withings-world.js';

export const readManners: ReadManners = {
  unauthorised: () => new WithingsRefusal(statusOf.token, 'invalid_token: The access token provided is invalid'),
  limited: () => new WithingsRefusal(statusOf.tooMany, 'Too Many Requests'),
  forbidden: () => new WithingsRefusal(statusOf.scope, 'insufficient_scope: the token may not do this'),
  faulty: (status) => new WithingsRefusal(status, 'Ordered by the control API', status),
};

interface Listed {
  readonly collection: Collection;
  readonly scope: string;
  /** The list's name in the answer. */
  readonly list: string;
  /** Fields that come unasked; undefined: all. */
  readonly always?: readonly string[];
}

const about = ['date', 'timezone', 'deviceid', 'hash_deviceid', 'brand', 'modelid', 'model', 'is_tracker', 'modified'];

/** By path and action. */
const lists: Readonly<Record<string, Listed>> = {
  '/measure getmeas': { collection: 'measure', scope: 'user.metrics', list: 'measuregrps' },
  '/v2/measure getactivity': { collection: 'activity', scope: 'user.activity', list: 'activities', always: about },
  '/v2/measure getworkouts': { collection: 'workout', scope: 'user.activity', list: 'series' },
  '/v2/sleep getsummary': { collection: 'sleep', scope: 'user.activity', list: 'series' },
};

/** `/measure`, `/v2/measure`, `/v2/sleep`, `/v2/user`. */
export function readRoutes(scope: FastifyInstance, world: WithingsWorld): void {
  for (const path of ['/measure', '/v2/measure', '/v2/sleep']) {
    scope.post(path, async (request, reply) => {
      const form = formOf(request.body);
      const call = { request, reply, form };
      switch (`${path} ${form.get('action')}`) {
        case '/v2/measure getintradayactivity':
          return readDay(world, call);
        case '/v2/sleep get':
          return readStretches(world, call);
        default: {
          const listed = lists[`${path} ${form.get('action')}`];
          if (listed === undefined) throw new WithingsRefusal(statusOf.action, 'Wrong action');
          return readList(world, listed, call);
        }
      }
    });
  }

  scope.post('/v2/user', async (request, reply) => {
    if (formOf(request.body).get('action') !== 'getdevice') throw new WithingsRefusal(statusOf.action, 'Wrong action');
    admitted(world, request, { kind: 'personalInfoReads', collection: undefined, scopes: ['user.info'] }, readManners);
    const devices = [{ type: 'Scale', model: 'Body+', model_id: 13, battery: 'high', timezone: TIME_ZONE }];
    return answered(world, reply, { status: 0, body: { devices } }, readManners);
  });
}

const DAY_S = 86_400;

/** The span of a call that shows no more than its first 24 hours. */
function firstDay(form: URLSearchParams): { readonly start: number; readonly end: number } {
  const [start, end] = [numberOf(form, 'startdate', -1), numberOf(form, 'enddate', -1)];
  if (start < 0 || end < start) throw new WithingsRefusal(statusOf.params, 'Invalid Params: startdate or enddate is missing');
  return { start, end: Math.min(end, start + DAY_S) };
}

/** An object by the second at which each stretch began; an empty one is a list, as PHP writes it. */
async function readDay(world: WithingsWorld, { request, reply, form }: Call): Promise<unknown> {
  const { person } = admitted(world, request, { kind: 'listReads', collection: 'intraday', scopes: ['user.activity'] }, readManners);
  const { start, end } = firstDay(form);
  const wanted = form.get('data_fields')?.split(',') ?? [];
  const shown = [...documentsOf(person, 'intraday').values()]
    .filter((document) => Number(document['at']) >= start && Number(document['at']) <= end)
    .map((document): [string, WithingsDocument] => [String(document['at']), only(document, ['deviceid', 'model', 'model_id', ...wanted])]);
  const body = { series: shown.length === 0 ? [] : Object.fromEntries(shown) };
  return answered(world, reply, { status: 0, body }, readManners);
}

/** The stages of all sleeps of a span. */
async function readStretches(world: WithingsWorld, { request, reply, form }: Call): Promise<unknown> {
  const { person } = admitted(world, request, { kind: 'listReads', collection: 'sleep', scopes: ['user.activity'] }, readManners);
  const { start, end } = firstDay(form);
  const series = [...documentsOf(person, 'sleep').values()]
    .flatMap(({ stretches, model, model_id }) =>
      (stretches as { startdate: number; enddate: number }[]).map((stretch) => ({ model, model_id, ...stretch })),
    )
    .filter(({ startdate, enddate }) => enddate > start && startdate < end);
  return answered(world, reply, { status: 0, body: { series, model: 32 } }, readManners);
}

interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly form: URLSearchParams;
}

/** One page, newest first; `offset` is where the next one begins. */
async function readList(
  world: WithingsWorld,
  { collection, scope, list, always }: Listed,
  { request, reply, form }: Call,
): Promise<unknown> {
  const { person } = admitted(world, request, { kind: 'listReads', collection, scopes: [scope] }, readManners);
  const matches = collection === 'measure' ? byInstant(form) : byDay(form);
  const all = [...documentsOf(person, collection).values()]
    .filter(matches)
    .sort((a, b) => (String(a['date']) < String(b['date']) ? 1 : -1));
  const from = Number(form.get('offset') ?? 0);
  const page = all.slice(from, from + world.faults.pageSize);
  const more = from + page.length < all.length;
  const wanted = form.get('data_fields')?.split(',') ?? [];
  const body = {
    ...(collection === 'measure' ? { updatetime: Math.floor(world.now() / 1000), timezone: TIME_ZONE } : {}),
    [list]: page.map((document) => asked(document, wanted, always)),
    // A number in the older call, a flag in the newer ones.
    more: collection === 'measure' ? Number(more) : more,
    offset: more ? from + page.length : 0,
  };
  return answered(world, reply, { status: 0, body }, readManners);
}

function byInstant(form: URLSearchParams): (document: WithingsDocument) => boolean {
  const [start, end, since] = [numberOf(form, 'startdate', 0), numberOf(form, 'enddate', Infinity), numberOf(form, 'lastupdate', 0)];
  const category = form.get('category');
  return (document) =>
    Number(document['date']) >= start &&
    Number(document['date']) <= end &&
    Number(document['modified']) >= since &&
    (category === null || String(document['category']) === category);
}

function byDay(form: URLSearchParams): (document: WithingsDocument) => boolean {
  const [start, end, since] = [form.get('startdateymd'), form.get('enddateymd'), form.get('lastupdate')];
  if (since === null && (start === null || end === null)) throw new WithingsRefusal(statusOf.params, 'Invalid Params: dates are missing');
  if (since !== null) return (document) => Number(document['modified']) >= numberOf(form, 'lastupdate', 0);
  return (document) => String(document['date']) >= (start as string) && String(document['date']) <= (end as string);
}

function numberOf(form: URLSearchParams, name: string, otherwise: number): number {
  const text = form.get(name);
  if (text === null) return otherwise;
  if (!/^\d+$/.test(text)) throw new WithingsRefusal(statusOf.params, `Invalid Params: ${name}`);
  return Number(text);
}

/** Values come only as far as they were asked for by name. */
function asked(document: WithingsDocument, wanted: readonly string[], always: readonly string[] | undefined): WithingsDocument {
  if (always !== undefined) return only(document, [...always, ...wanted]);
  if (!('data' in document)) return document;
  const { stretches: _stretches, ...shown } = document;
  return { ...shown, data: only(document['data'] as WithingsDocument, wanted) };
}

function only(fields: WithingsDocument, names: readonly string[]): WithingsDocument {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
