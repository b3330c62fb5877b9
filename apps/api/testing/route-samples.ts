import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newId } from '@tributary/service-shell';
import type { SeededEnvironment } from '../../../packages/storage/testing/seed.js';
import type { RunningApi } from './start-api.js';

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
}

/** One method of one path of the API's document. */
export interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly Parameter[];
  readonly hasBody: boolean;
}

interface Described {
  readonly paths: Record<string, Record<string, { parameters?: Parameter[]; requestBody?: unknown }>>;
}

/** Every route of a document. A route is walked because it is there, not because somebody thought of it. */
export function routesOf(document: Described): Route[] {
  return Object.entries(document.paths).flatMap(([routePath, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => ({
      name: `${method.toUpperCase()} ${routePath}`,
      method: method.toUpperCase(),
      path: routePath,
      query: parameters.filter((parameter) => parameter.in === 'query'),
      hasBody: requestBody !== undefined,
    })),
  );
}

/** The committed document; `npm run openapi:check` says whether it is the code's. */
export function committedRoutes(): Route[] {
  return routesOf(JSON.parse(readFileSync(path.join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as Described);
}

/** Text that only rows of the walked tenant hold. */
export const MARK = 'only-of-the-first-tenant';

/** One of everything that a path, query or body can name. */
export interface Samples {
  /** By the word before `{id}` in a path. */
  readonly ids: Readonly<Record<string, string>>;
  /** The other parameters of paths, by their name. */
  readonly named: Readonly<Record<string, string>>;
  readonly key: string;
}

/** Makes a tenant that has one of everything. A route about a new thing adds it here, under the word of its path. */
export async function makeSamples(api: RunningApi, scope: SeededEnvironment): Promise<Samples> {
  const { key, id: keyId } = await api.key(scope);
  const app = await api.seed.app(scope);
  const user = await api.seed.user(scope, { externalId: `${MARK}-person` });
  const connection = await api.seed.connection(app, user);
  const post = async (address: string, body?: object) => {
    const { status, body: made } = await api.call('POST', address, { key, ...(body && { body }) });
    if (status >= 300) throw new Error(`no sample: POST ${address} answered ${status} ${JSON.stringify(made)}`);
    return made as Record<string, string>;
  };
  const endpoint = await post('/v1/endpoints', { url: 'https://first.example/hooks', description: MARK });
  const secret = await post(`/v1/endpoints/${endpoint['id']}/secrets`, {});
  const told = await post(`/v1/endpoints/${endpoint['id']}/test`);
  const recovery = await post('/v1/recoveries', { endpointId: endpoint['id'] });
  const backfill = await post(`/v1/connections/${connection.id}/backfills`, { from: '2026-10-01' });
  const gone = await post('/v1/users', { externalId: 'gone' });
  const { body: receipt } = await api.call('DELETE', `/v1/users/${gone['id']}`, { key });
  await api.db.pool.query(
    `insert into daily_rollup (tenant_id, environment, user_id, provider, connection_id, provider_record_id, source_id, source, local_date,
       date_basis, day_model, provisional, version, inferred, revision, content_hash, metric, value, unit)
     values ($1, $2, $3, 'oura', $4, $5, 'src', '{}', '2026-11-29', 'provider_date', 'civil', false, 1, false, 1, 'c', 'steps', 8431, '{steps}')`,
    [scope.tenantId, scope.environment, user.id, connection.id, MARK],
  );
  return {
    key,
    ids: {
      'api-keys': keyId,
      'provider-apps': app.id,
      users: user.id,
      connections: connection.id,
      endpoints: endpoint['id'] as string,
      events: told['eventId'] as string,
      recoveries: (recovery['recovery'] as unknown as { id: string }).id,
      backfills: backfill['id'] as string,
      'dead-letters': await makeLetter(api, scope, { app: app.id, user: user.id, connection: connection.id }),
      erasures: receipt.erasureId,
    },
    named: { metric: 'steps', secretId: secret['id'] as string },
  };
}

async function makeLetter(
  api: RunningApi,
  scope: SeededEnvironment,
  of: { app: string; user: string; connection: string },
): Promise<string> {
  const id = newId('dl');
  await api.db.pool.query(
    `with window_of as (
       insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, state, attempts, due_at)
       values ($1, $2, $4, 'sleep', 'object', 'sample', 'sample', 'dead', 12, now() - interval '1 hour'))
     insert into dead_letter (tenant_id, environment, id, provider, provider_app_id, user_id, connection_id, collection, window_kind,
       window_start, window_end, bucket, code, detail, normalizer_version)
     values ($1, $2, $3, 'oura', $5, $6, $4, 'sleep', 'object', 'sample', 'sample', 'transient', 'http_500', 'at', 1)`,
    [scope.tenantId, scope.environment, id, of.connection, of.app, of.user],
  );
  return id;
}

/** The path with ids in it. @throws for a parameter that nobody has given a sample. */
export function fillPath(route: Route, { ids, named }: Samples): string {
  const words = route.path.split('/');
  return words
    .map((word, at) => {
      if (!word.startsWith('{')) return word;
      const name = word.slice(1, -1);
      const sample = name === 'id' ? ids[words[at - 1] as string] : named[name];
      if (sample === undefined) throw new Error(`${route.name}: add a sample of {${name}} to apps/api/testing/route-samples.ts`);
      return sample;
    })
    .join('/');
}

/** Parameters of queries that name something, and those that a route cannot do without. */
export function queryValues({ ids }: Samples): Readonly<Record<string, string>> {
  const { users = '', connections = '', endpoints = '', events = '' } = ids;
  return {
    ...{ user: users, userId: users, connectionId: connections, endpointId: endpoints, eventId: events },
    ...{ actor: ids['api-keys'] ?? '', target: users, externalId: `${MARK}-person` },
    ...{ kind: 'daily', provider: 'oura', sourceId: 'src', metric: 'steps', localDate: '2026-11-29', revision: '1' },
  };
}

const NAMES_SOMETHING = new Set(['user', 'userId', 'connectionId', 'endpointId', 'eventId', 'actor', 'target', 'externalId']);

/** A query for each parameter that names something, beside what is required; one without any when there is none. */
export function queriesOf(route: Route, samples: Samples): string[] {
  const values = queryValues(samples);
  const required = route.query.filter((one) => one.required === true).map((one) => one.name as string);
  if (required.includes('kind')) required.push('provider', 'sourceId', 'metric', 'localDate');
  const text = (names: readonly string[]) => {
    const missing = names.find((name) => values[name] === undefined);
    if (missing !== undefined) throw new Error(`${route.name}: add a value of ?${missing} to apps/api/testing/route-samples.ts`);
    return [...new Set(names)].map((name) => `${name}=${values[name]}`).join('&');
  };
  const naming = route.query.map((one) => one.name as string).filter((name) => NAMES_SOMETHING.has(name) && !required.includes(name));
  return [required, ...naming.map((name) => [...required, name])].map(text);
}

const DAY_MS = 86_400_000;

/** A body that a route takes from whom it belongs to. @throws for a route that nobody has given one. */
export function bodyOf(route: Route, { ids }: Samples): object | undefined {
  if (!route.hasBody) return undefined;
  const { users: userId, endpoints: endpointId } = ids;
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const bodies: Readonly<Record<string, object>> = {
    'POST /v1/api-keys': { name: 'another' },
    'POST /v1/provider-apps': { provider: 'oura', clientId: 'walked', clientSecret: 'walked-secret' },
    'PATCH /v1/provider-apps/{id}': { toleranceS: 120 },
    'POST /v1/provider-apps/{id}/secrets': { purpose: 'client_secret', value: 'next-secret', overlapS: 60 },
    'POST /v1/users': { externalId: 'walked' },
    'PATCH /v1/users/{id}': { fallbackZone: 'Europe/Berlin' },
    'PUT /v1/source-priorities/{metric}': { entries: [{ by: 'provider', is: 'oura' }] },
    'PUT /v1/users/{id}/source-priorities/{metric}': { entries: [{ by: 'provider', is: 'oura' }] },
    'POST /v1/records/batch': {
      keys: [{ kind: 'daily', user: userId, provider: 'oura', sourceId: 'src', metric: 'steps', localDate: '2026-11-29' }],
    },
    'POST /v1/erasures': { userId },
    'POST /v1/connect-sessions': { userId, provider: 'oura' },
    'PUT /v1/connect-settings': { returnUrls: ['https://customer.example/back'] },
    'POST /v1/connections/{id}/reauth-link': {},
    'POST /v1/connections/import': {
      connections: [{ userExternalId: 'imported', provider: 'oura', subjectId: 'imported', accessToken: 'token', refreshToken: 'token' }],
      verify: false,
    },
    'POST /v1/connections/export': {},
    'POST /v1/connections/demo': { userId },
    'POST /v1/endpoints': { url: 'https://customer.example/hooks' },
    'PATCH /v1/endpoints/{id}': { description: 'walked' },
    'POST /v1/endpoints/{id}/rotate-secret': {},
    'POST /v1/endpoints/{id}/secrets': {},
    'POST /v1/endpoints/{id}/cancel-pending': {},
    'POST /v1/endpoints/{id}/recover': { since },
    'POST /v1/endpoints/{id}/replay-missing': { since },
    'POST /v1/recoveries': { endpointId },
    'POST /v1/events/{id}/replay': {},
    'POST /v1/connections/{id}/backfills': { from: '2026-09-01' },
    'POST /v1/dead-letters/replay': { userId },
    'PATCH /v1/environment/retention': { bodyDays: 5 },
  };
  const body = bodies[route.name];
  if (body === undefined) throw new Error(`${route.name}: add a body to apps/api/testing/route-samples.ts`);
  return body;
}
