import { afterEach, describe, expect, it } from '@jest/globals';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ApiClientOptions, createApiClient } from './api-client.js';
import { ApiProblem } from './api-problem.js';
import { retryAfterMs } from './api-retry.js';

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown } | 'hang up' | 'say nothing';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** An API that gives these answers in turn, the last one for ever, and remembers what it was asked. */
async function scene(answers: readonly Answer[], options: Partial<ApiClientOptions> = {}) {
  const calls: Call[] = [];
  const waits: number[] = [];
  const respond = (response: ServerResponse): void => {
    const answer = answers[Math.min(calls.length, answers.length) - 1] as Answer;
    if (answer === 'say nothing') return;
    if (answer === 'hang up') return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      calls.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      respond(response);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = createApiClient({
    apiKey: 'trb_test_key',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    surroundings: {
      sleep: async (ms) => void waits.push(ms),
      now: () => Date.parse('2026-11-30T07:00:00Z'),
      random: () => 0.5,
    },
    ...options,
  });
  return { api, calls, waits };
}

const user = { id: 'usr_1', externalId: 'x' };

describe('a client of the API', () => {
  it('sends its key, and gives what is typed', async () => {
    const { api, calls } = await scene([{ status: 200, body: user }]);
    const { data, error } = await api.GET('/v1/users/{id}', { params: { path: { id: 'usr_1' } } });
    expect([data, error]).toEqual([user, undefined]);
    expect(calls).toMatchObject([{ method: 'GET', url: '/v1/users/usr_1', headers: { authorization: 'Bearer trb_test_key' } }]);
  });

  it.each(['', 'secret', 'whsec_abc', 'trb_live_'])('does not take %j for a key', (apiKey) => {
    expect(() => createApiClient({ apiKey, baseUrl: 'https://api.example' })).toThrow(TypeError);
  });

  it('waits for what Retry-After asks, else a part of a delay that doubles, and gives up after four tries', async () => {
    const asked = await scene([
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': 'Mon, 30 Nov 2026 07:00:09 GMT' } },
      { status: 429, headers: { 'retry-after': '86400' } },
      { status: 200, body: user },
    ]);
    expect((await asked.api.GET('/v1/users/{id}', { params: { path: { id: 'usr_1' } } })).data).toEqual(user);
    expect(asked.waits).toEqual([7_000, 9_000, 60_000]);
    const unasked = await scene([{ status: 503, body: { code: 'down' } }]);
    const { response, error } = await unasked.api.GET('/v1/users/{id}', { params: { path: { id: 'usr_1' } } });
    expect([response.status, error]).toEqual([503, { code: 'down' }]);
    expect([unasked.calls.length, unasked.waits]).toEqual([4, [250, 500, 1_000]]);
  });

  it('repeats a POST after a broken connection, with the same body and the same key', async () => {
    const { api, calls } = await scene(['hang up', { status: 502 }, { status: 201, body: user }]);
    expect((await api.POST('/v1/users', { body: { externalId: 'x' } })).data).toEqual(user);
    expect(calls.map(({ body }) => body)).toEqual(Array(3).fill('{"externalId":"x"}'));
    const keys = new Set(calls.map(({ headers }) => headers['idempotency-key']));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const own = await scene([{ status: 201, body: user }]);
    await own.api.POST('/v1/users', { body: { externalId: 'x' }, headers: { 'idempotency-key': 'mine' } });
    await own.api.POST('/v1/users', { body: { externalId: 'y' } });
    expect(own.calls[0]?.headers['idempotency-key']).toBe('mine');
    expect(own.calls[1]?.headers['idempotency-key']).not.toBe('mine');
  });

  it('takes silence for a broken connection: the POST is repeated with its key, and in the end the caller is told', async () => {
    const timeoutMs = 250;
    const { api, calls } = await scene(['say nothing', { status: 429, headers: { 'retry-after': '1' } }, { status: 201, body: user }], {
      retry: { timeoutMs },
    });
    expect((await api.POST('/v1/users', { body: { externalId: 'x' } })).data).toEqual(user);
    expect(calls.map(({ body }) => body)).toEqual(Array(3).fill('{"externalId":"x"}'));
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    const silent = await scene(['say nothing'], { retry: { attempts: 2, timeoutMs } });
    await expect(silent.api.GET('/v1/users', {})).rejects.toThrow('GET /v1/users was not answered within 250 ms');
    expect(silent.calls).toHaveLength(2);
  });

  it.each([{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { timeoutMs: Number.POSITIVE_INFINITY }, { attempts: 0 }])(
    'is never made with %j',
    async (retry) => {
      await expect(scene([], { retry })).rejects.toThrow(RangeError);
    },
  );

  it.each([400, 401, 404, 409, 422])('does not repeat what was answered %d', async (status) => {
    const { api, calls, waits } = await scene([{ status, body: { code: 'no' } }]);
    expect((await api.POST('/v1/users', { body: { externalId: 'x' } })).error).toEqual({ code: 'no' });
    expect([calls.length, waits]).toEqual([1, []]);
  });

  it('does not repeat a PATCH, which may have been done', async () => {
    const { api, calls } = await scene([{ status: 503 }]);
    await api.PATCH('/v1/users/{id}', { params: { path: { id: 'usr_1' } }, body: { fallbackZone: null } });
    expect(calls).toHaveLength(1);
  });

  it('throws the last error when no connection holds', async () => {
    const { api, calls } = await scene(['hang up'], { retry: { attempts: 2 } });
    await expect(api.GET('/v1/users', {})).rejects.toThrow();
    expect(calls).toHaveLength(2);
  });

  it('stops waiting when its caller does', async () => {
    const aborter = new AbortController();
    const { api, calls } = await scene([{ status: 503, headers: { 'retry-after': '50' } }], {
      surroundings: {
        fetch: async (request) => {
          const response = await fetch(request);
          setTimeout(() => aborter.abort(new Error('enough')), 10);
          return response;
        },
      },
    });
    await expect(api.GET('/v1/users', { signal: aborter.signal })).rejects.toThrow('enough');
    expect(calls).toHaveLength(1);
  });
});

describe('entries of pages', () => {
  it('come one after another, and a page is read when it is needed', async () => {
    const page = (ids: readonly string[], nextCursor: string | null) => ({
      status: 200,
      body: { data: ids.map((id) => ({ id })), nextCursor },
    });
    const { api, calls } = await scene([page(['a', 'b'], 'c 1'), page([], 'c2'), page(['c'], null)]);
    const seen: string[] = [];
    for await (const { id } of api.each('/v1/connections', { query: { userId: 'usr_1', limit: 2 } })) {
      seen.push(id);
      if (id === 'b') expect(calls).toHaveLength(1);
    }
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(calls.map(({ url }) => url)).toEqual([
      '/v1/connections?userId=usr_1&limit=2',
      '/v1/connections?userId=usr_1&limit=2&cursor=c%201',
      '/v1/connections?userId=usr_1&limit=2&cursor=c2',
    ]);
  });

  it('end with the problem that the API told', async () => {
    const { api } = await scene([{ status: 403, body: { code: 'scope_missing', title: 'Not allowed', detail: 'events:read' } }]);
    const reading = (async () => {
      for await (const _ of api.each('/v1/events')) throw new Error('there is none');
    })();
    await expect(reading).rejects.toBeInstanceOf(ApiProblem);
    await expect(reading).rejects.toMatchObject({
      status: 403,
      code: 'scope_missing',
      message: 'GET /v1/events answered 403: Not allowed: events:read',
    });
  });
});

describe('Retry-After', () => {
  it.each([
    [null, undefined],
    ['0', 0],
    ['120', 120_000],
    ['Mon, 30 Nov 2026 07:01:00 GMT', 60_000],
    ['Mon, 30 Nov 2026 06:00:00 GMT', 0],
    ['soon', undefined],
    ['-5x', undefined],
  ])('%j means %j ms', (header, ms) => {
    expect(retryAfterMs(header, Date.parse('2026-11-30T07:00:00Z'))).toBe(ms);
  });
});
