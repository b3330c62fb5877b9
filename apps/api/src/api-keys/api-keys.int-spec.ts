import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { hashApiKey } from '../auth/api-key.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('API keys and their organisation', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let keyId: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key, id: keyId } = await api.key(scope));
  });

  const create = (body: object, who = key) => api.call('POST', '/v1/api-keys', { key: who, body });

  it('a key is shown once, kept as a hash, and opens what its scopes say', async () => {
    const { status, body } = await create({
      name: 'reports',
      scopes: ['records:read', 'users:read'],
      expiresAt: '2099-01-02T03:04:05+01:00',
    });
    expect(status).toBe(201);
    const { key: made, ...shown } = body;
    expect(made).toMatch(/^trb_test_[\w-]{43}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'reports',
      prefix: made.slice(0, 14),
      scopes: ['records:read', 'users:read'],
      createdAt: expect.any(String),
      expiresAt: '2099-01-02T02:04:05.000Z',
      revokedAt: null,
      lastUsedAt: null,
    });
    expect((await api.call('GET', `/v1/api-keys/${shown.id}`, { key })).body).toEqual(shown);
    const [row] = await api.rows<{ text: string; hash: Buffer }>('select k::text as text, hash from api_key k where id = $1', [shown.id]);
    expect(row?.hash).toEqual(hashApiKey(made));
    expect(row?.text).not.toContain(made.slice(20));
    expect((await api.call('GET', '/v1/users', { key: made })).status).toBe(200);
    for (const [method, path, scopeName] of [
      ['POST', '/v1/users', 'users:write'],
      ['GET', '/v1/endpoints', 'endpoints:read'],
      ['GET', '/v1/api-keys', 'admin:read'],
      ['GET', '/v1/audit-log', 'admin:read'],
    ] as const) {
      const refused = await api.call(method, path, { key: made, ...(method === 'POST' && { body: { externalId: 'x' } }) });
      expect([path, refused.status, refused.body.code, refused.body.detail.includes(`"${scopeName}"`)]).toEqual([
        path,
        403,
        'forbidden',
        true,
      ]);
    }
    expect(await api.rows('select 1 from app_user where tenant_id = $1', [scope.tenantId])).toEqual([]);
    expect(await api.rows('select action, actor, target from audit_log where tenant_id = $1', [scope.tenantId])).toEqual([
      { action: 'api_key.create', actor: keyId, target: shown.id },
    ]);
  });

  it('no key lends more than it has', async () => {
    const { body: clerk } = await create({ name: 'clerk', scopes: ['admin:write', 'users:read'] });
    for (const scopes of [['*'], ['users:write'], ['records:read'], undefined]) {
      const reply = await create({ name: 'more', ...(scopes && { scopes }) }, clerk.key);
      expect([scopes, reply.status, reply.body.code]).toEqual([scopes, 403, 'forbidden']);
    }
    expect((await create({ name: 'as much', scopes: ['admin:read', 'users:read'] }, clerk.key)).status).toBe(201);
    expect(await api.rows('select name from api_key where tenant_id = $1 order by id', [scope.tenantId])).toEqual([
      { name: 'test' },
      { name: 'clerk' },
      { name: 'as much' },
    ]);
  });

  it('a revoked key is refused at the next request, also by itself, and stays in the list', async () => {
    const { body: doomed } = await create({ name: 'doomed' });
    expect((await api.call('GET', '/v1/users', { key: doomed.key })).status).toBe(200);
    expect((await api.call('DELETE', `/v1/api-keys/${doomed.id}`, { key: doomed.key })).status).toBe(204);
    const after = await api.call('GET', '/v1/users', { key: doomed.key });
    expect([after.status, after.body.code]).toEqual([401, 'unauthenticated']);
    const { body } = await api.call('GET', '/v1/api-keys', { key });
    expect(body.data.map((one: { id: string; revokedAt: string | null }) => [one.id, one.revokedAt !== null])).toEqual([
      [keyId, false],
      [doomed.id, true],
    ]);
  });

  it('faulty wishes are told by their fields', async () => {
    for (const [body, path] of [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'x', scopes: [] }, 'scopes'],
      [{ name: 'x', scopes: ['everything'] }, 'scopes.0'],
      [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ name: 'x', key: 'trb_live_mine' }, 'key'],
    ] as const) {
      const reply = await create(body);
      expect([body, reply.status, reply.body.faults?.[0]?.path]).toEqual([body, 422, path]);
    }
    expect(await api.rows('select 1 from api_key where tenant_id = $1', [scope.tenantId])).toHaveLength(1);
  });

  it('keys are read in pages and by nobody else', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { data: { name: string }[]; nextCursor: string | null } } = await api.call(
        'GET',
        `/v1/api-keys?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
        { key },
      );
      names.push(...body.data.map((one) => one.name));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(['test', 'a', 'b', 'c']);
    const stranger = await api.key(await api.seed.environment());
    expect((await api.call('DELETE', `/v1/api-keys/${keyId}`, { key: stranger.key })).status).toBe(404);
    expect((await api.call('GET', '/v1/users', { key })).status).toBe(200);
  });

  it('a key tells whose it is', async () => {
    const { status, body } = await api.call('GET', '/v1/tenant', { key });
    expect([status, body]).toEqual([
      200,
      {
        id: scope.tenantId,
        name: scope.tenantId,
        createdAt: expect.any(String),
        environments: [{ name: 'test', debounceMs: 0, maxWaitMs: 0, sweepIntervalS: 21_600, sweepDays: 3, backfillDays: 90 }],
      },
    ]);
  });
});

describe('limits of requests', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS), { API_REQUESTS_PER_MINUTE: '3' });
  });
  afterAll(() => api.stop());

  it('every answer says what is left; too many are told when to come back; another key has its own', async () => {
    const scope = await api.seed.environment();
    const { key } = await api.key(scope);
    const ask = (who: string) => api.call('POST', '/v1/users', { key: who, body: { externalId: 'x' } });
    const seen = [];
    for (let n = 0; n < 3; n += 1) {
      const { status, headers } = await ask(key);
      seen.push([status < 300, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]);
      expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0);
      expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
    }
    expect(seen).toEqual([
      [true, '3', '2'],
      [true, '3', '1'],
      [true, '3', '0'],
    ]);
    const over = await ask(key);
    expect([over.status, over.body.code, over.headers.get('ratelimit-remaining')]).toEqual([429, 'too_many_requests', '0']);
    expect(over.headers.get('retry-after')).toBe(over.headers.get('ratelimit-reset'));
    const other = await api.key(scope);
    expect((await ask(other.key)).status).toBe(200);
    expect((await api.call('GET', '/health/live')).status).toBe(200);
  });
});
