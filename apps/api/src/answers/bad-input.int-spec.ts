import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problemCodes } from '@tributary/domain';
import { KeyRing, problemStatus } from '@tributary/service-shell';
import { type Call, type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const INJECTIONS = [
  `'; drop table app_user; --`,
  `' or '1'='1`,
  `$1`,
  `"; select pg_sleep(5); --`,
  `\\'; commit; set role none; --`,
  `usr_01KBADX6V00000000000000000' union select hash from api_key --`,
];

describe('what strangers and mistakes send', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS), { API_REQUESTS_PER_MINUTE: '1000000' });
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });
  afterAll(() => api.stop());

  const answer = async (method: string, path: string, options: Call = {}) => {
    const { status, body, headers } = await api.call(method, path, { key, ...options });
    if (status >= 400) {
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(body.type).toBe(`/problems/${body.code}`);
      expect(body.requestId).toBe(headers.get('x-request-id'));
      expect(status).toBe(problemStatus[body.code as keyof typeof problemStatus]);
    }
    return { status, code: body?.code as string | undefined, body, headers };
  };
  const users = () =>
    api.rows<{ external_id: string }>('select external_id from app_user where tenant_id = $1 order by id', [scope.tenantId]);

  it.each([
    ['unknown fields', { externalId: 'a', admin: true }, ['admin']],
    ['a number for text', { externalId: 7 }, ['externalId']],
    ['a list for text', { externalId: ['a'] }, ['externalId']],
    ['null', { externalId: null }, ['externalId']],
    ['text that is too long', { externalId: 'x'.repeat(10_000) }, ['externalId']],
    ['half a surrogate pair', { externalId: '\ud800' }, ['externalId']],
  ])('a body with %s: 422, by the path of each fault', async (_, body, paths) => {
    const reply = await answer('POST', '/v1/users', { body });
    expect([reply.status, reply.code]).toEqual([422, 'validation_failed']);
    expect(reply.body.faults.map((fault: { path: string }) => fault.path)).toEqual(paths);
  });

  it('a field that would reach a prototype reaches none', async () => {
    await answer('POST', '/v1/users', {
      raw: '{"externalId":"proto","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
    });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(await users()).toEqual([{ external_id: 'proto' }]);
  });

  it.each([
    ['limit=100000000', 'limit'],
    ['limit=201', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e9', 'limit'],
    ['limit=NaN', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['offset=5', 'offset'],
    ['cursor=', 'cursor'],
    [`cursor=${'A'.repeat(3_000)}`, 'cursor'],
  ])('a page of ?%s: 422', async (query, path) => {
    const { status, code, body } = await answer('GET', `/v1/users?${query}`);
    expect([status, code, body.faults?.[0]?.path]).toEqual([422, 'validation_failed', path]);
  });

  it('cursors that are forged, changed, of another list or another tenant: 400', async () => {
    for (const externalId of ['one', 'two']) await answer('POST', '/v1/users', { body: { externalId } });
    const { nextCursor } = (await answer('GET', '/v1/users?limit=1')).body as { nextCursor: string };
    const other = await api.key(await api.seed.environment());
    const changed = `${nextCursor.slice(0, -2)}${nextCursor.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const [path, who] of [
      ['/v1/users?cursor=AAAA', key],
      [`/v1/users?cursor=${changed}`, key],
      [`/v1/endpoints?cursor=${nextCursor}`, key],
      [`/v1/audit-log?cursor=${nextCursor}`, key],
      [`/v1/users?cursor=${nextCursor}`, other.key],
      [`/v1/users?cursor=${Buffer.from('{"id":"usr_1"}').toString('base64url')}`, key],
    ] as const) {
      const { status, code } = await answer('GET', path, { key: who });
      expect([path, status, code]).toEqual([path, 400, 'malformed_request']);
    }
    expect((await answer('GET', `/v1/users?cursor=${nextCursor}`)).status).toBe(200);
  });

  it.each(INJECTIONS)('SQL in every place that takes text is text: %s', async (text) => {
    const before = await users();
    const encoded = encodeURIComponent(text);
    for (const path of [`/v1/users/${encoded}`, `/v1/endpoints/${encoded}`, `/v1/connections/${encoded}`, `/v1/api-keys/${encoded}`]) {
      expect([path, (await answer('GET', path)).status]).toEqual([path, 404]);
    }
    for (const path of [`/v1/connections?userId=${encoded}`, `/v1/events?type=${encoded}`, `/v1/audit-log?action=${encoded}`]) {
      expect([path, (await answer('GET', path)).status]).toEqual([path, 422]);
    }
    const made = await answer('POST', '/v1/users', { body: { externalId: text } });
    expect([made.status, made.body.externalId]).toEqual([201, text]);
    expect((await users()).map((row) => row.external_id)).toEqual([...before.map((row) => row.external_id), text]);
    expect((await answer('GET', '/v1/users', { key: `trb_test_${text}` })).status).toBe(401);
    expect(await api.rows(`select 1 from pg_tables where tablename = 'app_user'`)).toHaveLength(1);
  });

  it('a request id of the caller is passed on when it is one, and never into another header', async () => {
    const given = async (id: string) => (await answer('GET', '/v1/users', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await given('my-trace.0123456789')).toBe('my-trace.0123456789');
    for (const bad of ['short', 'x'.repeat(65), 'with space and more', 'a;b=c,d<script>', "id'--injected-id"]) {
      expect(await given(bad)).toMatch(/^req_[0-9A-Z]{26}$/);
    }
    const raw = await speak(
      `GET /v1/users HTTP/1.1\r\nhost: x\r\nx-request-id: abcdefgh%0d%0aset-cookie: a=b\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n\r\n`,
    );
    expect(raw).toMatch(/^HTTP\/1.1 200/);
    expect(raw.toLowerCase()).not.toContain('set-cookie');
  });

  /** Bytes as no client would send them, and all that comes back. */
  async function speak(bytes: string): Promise<string> {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    socket.write(bytes);
    await once(socket, 'close');
    return said;
  }

  it('headers that split a request are refused before anything is worked', async () => {
    const before = await users();
    const said = await speak(
      `POST /v1/users HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1.1 400/);
    expect(await users()).toEqual(before);
  });

  it('ten megabytes: 413, and nothing is kept', async () => {
    const before = await users();
    const { status, code } = await answer('POST', '/v1/users', { raw: `{"externalId":"${'x'.repeat(10_000_000)}"}` });
    expect([status, code]).toEqual([413, 'body_too_large']);
    expect(await users()).toEqual(before);
  });

  it('JSON nested without end, and JSON that is none: 400 or 422, never 500', async () => {
    for (const [raw, statuses] of [
      ['['.repeat(100_000), [400]],
      [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, [400, 422]],
      ['{"externalId":"a"', [400]],
      ['\ufeff{}', [400, 422]],
      ['nul', [400]],
    ] as const) {
      const { status } = await answer('POST', '/v1/users', { raw });
      expect([raw.slice(0, 10), statuses.includes(status as never), status]).toEqual([raw.slice(0, 10), true, status]);
    }
  });

  it('a method that a route does not have: 405 with those that it has; a path that is not there: 404', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/v1/users', 'GET, HEAD, POST'],
      ['POST', '/v1/audit-log', 'GET, HEAD'],
      ['DELETE', '/v1/tenant?x=1', 'GET, HEAD'],
    ] as const) {
      const { status, code, headers } = await answer(method, path, method === 'DELETE' ? {} : { body: {} });
      expect([path, status, code, headers.get('allow')]).toEqual([path, 405, 'method_not_allowed', allow]);
    }
    for (const path of ['/v1', '/v1/nothing', '/v2/users', '/v1/users/../../etc/passwd', '/v1//users']) {
      const { status, code } = await answer('GET', path);
      expect([path, status, code]).toEqual([path, 404, 'not_found']);
    }
  });

  it('keys that expired, were revoked or are of nobody: 401', async () => {
    const expired = await api.key(scope, { expiresAt: new Date(Date.now() - 1_000) });
    const revoked = await api.key(scope);
    await answer('DELETE', `/v1/api-keys/${revoked.id}`);
    for (const who of [expired.key, revoked.key, `trb_live_${'x'.repeat(43)}`, 'null', 'undefined']) {
      const { status, code } = await answer('GET', '/v1/users', { key: who });
      expect([who.slice(0, 9), status, code]).toEqual([who.slice(0, 9), 401, 'unauthenticated']);
    }
  });

  it('every code has a page where its type points, without a key', async () => {
    for (const code of problemCodes) {
      const page = await api.call('GET', `/problems/${code}`);
      expect([code, page.status, page.headers.get('content-type')]).toEqual([code, 200, 'text/html; charset=utf-8']);
      expect(page.body).toContain(`<code>${code}</code>`);
      expect(page.body).toContain(String(problemStatus[code]));
    }
    expect((await api.call('GET', '/problems')).body).toContain('/problems/internal');
    expect((await api.call('GET', '/problems/nothing')).status).toBe(404);
  });
});
