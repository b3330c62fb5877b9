import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { hashApiKey } from './api-key.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('callers and faulty requests', () => {
  let api: RunningApi;
  let key: string;
  let keyId: string;
  let ahead = 0;
  let scope: { tenantId: string; environment: 'test' | 'live' };

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS), {}, () => Date.now() + ahead);
    scope = await api.seed.environment();
    ({ key, id: keyId } = await api.key(scope));
  });
  afterAll(() => api.stop());

  it.each([
    ['no key', undefined, 'No API key came'],
    ['something that is no key', 'hello', 'holds no API key'],
    ['a key that nobody made', `trb_test_${'A'.repeat(43)}`, 'not known'],
  ])('%s is told apart and refused', async (_, given, words) => {
    const { status, body, headers } = await api.call('GET', '/v1/users', given === undefined ? {} : { key: given });
    expect(status).toBe(401);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(body).toMatchObject({ status: 401, code: 'unauthenticated', type: '/problems/unauthenticated', faults: [] });
    expect(body.detail).toContain(words);
    expect(body.requestId).toBe(headers.get('x-request-id'));
  });

  it('a key that expired says when; one that was revoked past this process is refused three seconds later at the latest', async () => {
    const past = await api.key(scope, { expiresAt: new Date('2026-01-02T03:04:05Z') });
    const expired = await api.call('GET', '/v1/users', { key: past.key });
    expect([expired.status, expired.body.detail]).toEqual([401, expect.stringContaining('2026-01-02T03:04:05.000Z')]);
    const other = await api.key(scope);
    expect((await api.call('GET', '/v1/users', { key: other.key })).status).toBe(200);
    await api.db.pool.query('update api_key set revoked_at = now() where id = $1', [other.id]);
    ahead += 3_000;
    expect((await api.call('GET', '/v1/users', { key: other.key })).status).toBe(401);
  });

  it('a key that is known ends when it expires, and one that is unknown is looked for each time', async () => {
    const brief = await api.key(scope, { expiresAt: new Date(Date.now() + ahead + 60_000) });
    expect((await api.call('GET', '/v1/users', { key: brief.key })).status).toBe(200);
    await api.db.pool.query(`update api_key set expires_at = now() + interval '1 day' where id = $1`, [brief.id]);
    ahead += 60_000;
    const later = await api.call('GET', '/v1/users', { key: brief.key });
    expect(later.status).toBe(200);
    await api.db.pool.query('update api_key set hash = $2 where id = $1', [brief.id, randomBytes(32)]);
    ahead += 3_000;
    expect((await api.call('GET', '/v1/users', { key: brief.key })).status).toBe(401);
    await api.db.pool.query('update api_key set hash = $2 where id = $1', [brief.id, hashApiKey(brief.key)]);
    expect((await api.call('GET', '/v1/users', { key: brief.key })).status).toBe(200);
  });

  it('the key is not stored, and its use is noted once a minute at most', async () => {
    await api.call('GET', '/v1/users', { key });
    const noted = async () =>
      (await api.rows<{ last_used_at: Date | null }>('select last_used_at from api_key where id = $1', [keyId]))[0]?.last_used_at;
    let first = await noted();
    for (let tries = 0; first === null && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      first = await noted();
    }
    expect(first).toBeInstanceOf(Date);
    await api.call('GET', '/v1/users', { key });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await noted()).toEqual(first);
    const [row] = await api.rows<{ text: string }>('select k::text as text from api_key k where id = $1', [keyId]);
    expect(row?.text).not.toContain(key.slice(20));
  });

  it('every failure has the shape of a problem', async () => {
    const cases: [string, string, Parameters<RunningApi['call']>[2], number, string][] = [
      ['POST', '/v1/users', { key, raw: '{"externalId":' }, 400, 'malformed_request'],
      [
        'POST',
        '/v1/users',
        { key, raw: 'externalId=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        415,
        'unsupported_media_type',
      ],
      ['POST', '/v1/users', { key, body: { externalId: 'x'.repeat(1_100_000) } }, 413, 'body_too_large'],
      ['POST', '/v1/users', { key }, 422, 'validation_failed'],
      ['POST', '/v1/users', { key, raw: '"text"' }, 422, 'validation_failed'],
      ['GET', '/v1/nothing', { key }, 404, 'not_found'],
      ['GET', '/v1/users/usr_01', { key }, 404, 'not_found'],
      ['GET', '/v1/users/%00', { key }, 404, 'not_found'],
      ['GET', '/v1/users/usr_01KBADX6V00000000000000000', { key }, 404, 'not_found'],
      ['GET', '/v1/users?limit=0', { key }, 422, 'validation_failed'],
      ['GET', '/v1/users?page=2', { key }, 422, 'validation_failed'],
    ];
    for (const [method, path, options, status, code] of cases) {
      const reply = await api.call(method, path, options);
      expect([path, reply.status, reply.body.code, reply.headers.get('content-type')]).toEqual([
        path,
        status,
        code,
        'application/problem+json',
      ]);
      expect(Object.keys(reply.body).sort()).toEqual(['code', 'detail', 'faults', 'requestId', 'status', 'title', 'type']);
    }
    expect(await api.rows('select 1 from app_user')).toEqual([]);
  });

  it('a faulty body is told every fault by its path, and nothing is stored', async () => {
    const { status, body } = await api.call('POST', '/v1/users', {
      key,
      body: { externalId: 'a\u0000b', fallbackZone: 'Mars/Base', age: 3 },
    });
    expect(status).toBe(422);
    expect(body.faults.map((fault: { path: string }) => fault.path).sort()).toEqual(['age', 'externalId', 'fallbackZone']);
    expect(await api.rows('select 1 from app_user')).toEqual([]);
  });

  it('health, metrics and the document of the API need no key', async () => {
    expect((await api.call('GET', '/health/live')).body).toEqual({ status: 'ok' });
    expect((await api.call('GET', '/health/ready')).body).toEqual({ status: 'ok' });
    expect((await api.call('GET', '/metrics')).body).toContain('process_cpu_seconds_total');
    const document = (await api.call('GET', '/openapi.json')).body;
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.webhooks)).toContain('daily.updated');
  });
});
