import createFetchClient, { type Client } from 'openapi-fetch';
import { problemOf } from './api-problem.js';
import { type RetryOptions, type RetrySurroundings, retryingFetch, sleepUnlessAborted } from './api-retry.js';
import { type paths } from './generated/openapi.js';

export interface ApiClientOptions {
  /** `trb_live_…` or `trb_test_…`. */
  readonly apiKey: string;
  /** Where the API is, without `/v1`. */
  readonly baseUrl: string;
  readonly retry?: RetryOptions;
  /** For tests, or a proxy. */
  readonly surroundings?: Partial<RetrySurroundings>;
}

/** `GET` addresses that answer in pages. */
export type PagedPath = { [P in keyof paths]: PageOf<P> extends Page<unknown> ? P : never }[keyof paths];

/** One entry of a page. */
export type EntryOf<P extends PagedPath> = PageOf<P> extends Page<infer Entry> ? Entry : never;

export interface EachOptions<P extends PagedPath> {
  readonly query?: QueryOf<P>;
  readonly path?: PathOf<P>;
  readonly signal?: AbortSignal;
}

/**
 * `GET`, `POST`, … as openapi-fetch has them, typed by the API's own document: they answer `{ data, error, response }` and never throw for
 * an answer of the API.
 */
export interface ApiClient extends Client<paths> {
  /**
   * Every entry of every page, asked for as they are used.
   * @throws ApiProblem
   */
  each<P extends PagedPath>(path: P, options?: EachOptions<P>): AsyncGenerator<EntryOf<P>, void, undefined>;
}

/**
 * A client of Tributary's API. Tries again what may pass, with jitter, as `Retry-After` says; every `POST` carries an
 * `Idempotency-Key`, the same over its tries: your own, if you set the header.
 * @throws TypeError when the key does not look like one
 */
export function createApiClient({ apiKey, baseUrl, retry = {}, surroundings = {} }: ApiClientOptions): ApiClient {
  if (!/^trb_(live|test)_\S+$/.test(apiKey)) throw new TypeError('apiKey must begin with trb_live_ or trb_test_.');
  const { fetch = (request) => globalThis.fetch(request), sleep = sleepUnlessAborted, now = Date.now, random = Math.random } = surroundings;
  const client = createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${apiKey}` },
    fetch: retryingFetch(retry, { fetch, sleep, now, random }),
  });
  client.use({
    onRequest({ request }) {
      if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
        request.headers.set('idempotency-key', crypto.randomUUID());
      }
      return request;
    },
  });
  return Object.assign(client, { each: eachOf(client) });
}

function eachOf(client: Client<paths>): ApiClient['each'] {
  const get = client.GET as unknown as (
    path: string,
    init: { readonly params: object; readonly signal?: AbortSignal },
  ) => Promise<{ readonly data?: Page<never>; readonly error?: unknown; readonly response: Response }>;
  return async function* (path, { query, path: places, signal } = {}) {
    let cursor: string | null = null;
    do {
      const params: object = { path: places ?? {}, query: { ...query, ...(cursor === null ? {} : { cursor }) } };
      const { data, error, response } = await get(path, { params, ...(signal === undefined ? {} : { signal }) });
      if (!data) throw problemOf(response, error, `GET ${path}`);
      yield* data.data;
      cursor = data.nextCursor;
    } while (cursor !== null);
  };
}

interface Page<Entry> {
  readonly data: readonly Entry[];
  readonly nextCursor: string | null;
}

type Read<P extends keyof paths> = paths[P] extends { get: infer Get } ? Get : never;

type PageOf<P extends keyof paths> = Read<P> extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never;

type QueryOf<P extends keyof paths> = Read<P> extends { parameters: { query?: infer Query } } ? Omit<NonNullable<Query>, 'cursor'> : never;

type PathOf<P extends keyof paths> = Read<P> extends { parameters: { path: infer Path } } ? Path : never;
