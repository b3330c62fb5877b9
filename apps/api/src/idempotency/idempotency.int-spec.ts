import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('requests that are sent again', () => {
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

  const post = (path: string, body: unknown, idempotencyKey: string, who = key) =>
    api.call('POST', path, { key: who, body, headers: { 'idempotency-key': idempotencyKey } });
  const endpoints = () =>
    api.rows<{ id: string; url: string }>('select id, url from endpoint where tenant_id = $1 order by id', [scope.tenantId]);
  const wish = (n: number) => ({ url: `https://customer.example/${n}` });

  it('the second answer is the first one, secret and all, and the work was done once', async () => {
    const again = randomUUID();
    const first = await post('/v1/endpoints', wish(1), again);
    const second = await post('/v1/endpoints', wish(1), again);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(first.body.secret).toMatch(/^whsec_/);
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await endpoints()).toEqual([{ id: first.body.id, url: 'https://customer.example/1' }]);
    expect(await api.rows('select action from audit_log where tenant_id = $1', [scope.tenantId])).toEqual([{ action: 'endpoint.create' }]);
  });

  it('what is kept is sealed, and tells neither the key nor the secret', async () => {
    const again = randomUUID();
    const { body } = await post('/v1/endpoints', wish(1), again);
    const [row] = await api.rows<{ text: string; sealed: Buffer; hours: number }>(
      `select row_to_json(k)::text as text, sealed_answer as sealed, extract(epoch from expires_at - now())::float8 / 3600 as hours
       from kept_answer k where tenant_id = $1`,
      [scope.tenantId],
    );
    expect(row?.text).not.toContain(again);
    expect(row?.sealed.includes(body.secret)).toBe(false);
    expect(row?.sealed.includes('customer.example')).toBe(false);
    expect(row?.hours).toBeGreaterThan(23);
    expect(row?.hours).toBeLessThanOrEqual(24);
  });

  it('another body or another path under the same key is refused and does nothing', async () => {
    const again = randomUUID();
    await post('/v1/endpoints', wish(1), again);
    const cases = [await post('/v1/endpoints', wish(2), again), await post('/v1/users', wish(1), again)];
    for (const reply of cases) expect([reply.status, reply.body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(await endpoints()).toHaveLength(1);
    expect(await api.rows('select 1 from app_user where tenant_id = $1', [scope.tenantId])).toEqual([]);
  });

  it('twenty at once with one key and one body: one does the work, the others wait their turn or get its answer', async () => {
    const again = randomUUID();
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('/v1/endpoints', wish(1), again)));
    const made = await endpoints();
    expect(made).toHaveLength(1);
    expect(replies.some(({ status }) => status === 201)).toBe(true);
    for (const { status, body } of replies) {
      if (status === 201) expect(body.id).toBe(made[0]?.id);
      else expect([status, body.code]).toEqual([409, 'idempotency_in_progress']);
    }
    expect((await post('/v1/endpoints', wish(1), again)).body.id).toBe(made[0]?.id);
  });

  it('twenty at once with one key and different bodies: one is worked, the others are refused', async () => {
    const again = randomUUID();
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => post('/v1/endpoints', wish(n), again)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
    }
    expect(await endpoints()).toHaveLength(1);
  });

  it('keys of two API keys and of two environments have nothing to do with each other', async () => {
    const again = randomUUID();
    const other = await api.key(scope);
    const elsewhere = await api.key(await api.seed.environment());
    const ids = [
      (await post('/v1/endpoints', wish(1), again)).body.id,
      (await post('/v1/endpoints', wish(1), again, other.key)).body.id,
      (await post('/v1/endpoints', wish(1), again, elsewhere.key)).body.id,
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it('a refusal is kept like an answer; only what may be different next time is not', async () => {
    const again = randomUUID();
    const first = await post('/v1/endpoints', { url: 'nonsense' }, again);
    const second = await post('/v1/endpoints', { url: 'nonsense' }, again);
    expect([first.status, second.status, second.body, second.headers.get('idempotent-replayed')]).toEqual([422, 422, first.body, 'true']);
    expect(second.headers.get('content-type')).toBe('application/problem+json');
  });

  it('a failure of ours is not kept: the same request is worked when it comes again', async () => {
    const again = randomUUID();
    await api.db.pool.query(`alter table endpoint rename to endpoint_away`);
    const failed = await post('/v1/endpoints', wish(1), again).finally(() =>
      api.db.pool.query(`alter table endpoint_away rename to endpoint`),
    );
    expect([failed.status, failed.body.code]).toEqual([500, 'internal']);
    expect(await api.rows('select 1 from kept_answer where tenant_id = $1', [scope.tenantId])).toEqual([]);
    expect((await post('/v1/endpoints', wish(1), again)).status).toBe(201);
  });

  it('a process that died in between holds its key until the lease ends, against the same request and for ever against another', async () => {
    const again = randomUUID();
    const { body } = await post('/v1/endpoints', wish(1), again);
    const died = (lease: string) =>
      api.db.pool.query(
        `update kept_answer set status = null, sealed_answer = null, lease_token = 'of the dead', lease_until = now() + $2::interval where tenant_id = $1`,
        [scope.tenantId, lease],
      );
    await died('1 minute');
    expect((await post('/v1/endpoints', wish(1), again)).body.code).toBe('idempotency_in_progress');
    await died('-1 second');
    expect((await post('/v1/endpoints', wish(2), again)).body.code).toBe('idempotency_key_reused');
    const worked = await post('/v1/endpoints', wish(1), again);
    expect([worked.status, worked.body.id === body.id]).toEqual([201, false]);
    expect((await post('/v1/endpoints', wish(1), again)).body).toEqual(worked.body);
  });

  it('after a day the key is free', async () => {
    const again = randomUUID();
    await post('/v1/endpoints', wish(1), again);
    await api.db.pool.query('update kept_answer set expires_at = now() where tenant_id = $1', [scope.tenantId]);
    expect((await post('/v1/endpoints', wish(2), again)).status).toBe(201);
    expect((await endpoints()).map(({ url }) => url)).toEqual(['https://customer.example/1', 'https://customer.example/2']);
  });

  it('an erased person is in no answer that was kept, nor in one that was about to be', async () => {
    const again = randomUUID();
    const { body: person } = await post('/v1/users', { externalId: 'person-1' }, again);
    await post('/v1/endpoints', wish(1), randomUUID());
    const kept = () => api.rows<{ mentions: string[] }>('select mentions from kept_answer where tenant_id = $1', [scope.tenantId]);
    expect((await kept()).filter(({ mentions }) => mentions.includes(person.id))).toHaveLength(1);
    expect((await api.call('DELETE', `/v1/users/${person.id}`, { key })).status).toBe(200);
    const left = await kept();
    expect(left).toHaveLength(1);
    expect(left.flatMap(({ mentions }) => mentions)).not.toContain(person.id);
    const anew = await post('/v1/users', { externalId: 'person-1' }, again);
    expect([anew.status, anew.body.id === person.id]).toEqual([201, false]);
    const late = await post(`/v1/connections/con_01KBADX6V00000000000000000/backfills`, {}, randomUUID());
    expect(late.status).toBeGreaterThanOrEqual(400);
    expect((await kept()).flatMap(({ mentions }) => mentions)).not.toContain('con_01KBADX6V00000000000000000');
  });

  it('a revoked key takes its answers with it', async () => {
    await post('/v1/endpoints', wish(1), randomUUID());
    const boss = await api.key(scope);
    expect((await api.call('DELETE', `/v1/api-keys/${keyId}`, { key: boss.key })).status).toBe(204);
    expect(await api.rows('select 1 from kept_answer where tenant_id = $1', [scope.tenantId])).toEqual([]);
  });

  it('what cannot be a key is refused; on other methods the header means nothing', async () => {
    for (const bad of ['', 'two words', 'x'.repeat(256), 'é']) {
      const reply = await post('/v1/endpoints', wish(1), bad);
      expect([bad, reply.status, reply.body.code]).toEqual([bad, 400, 'malformed_request']);
    }
    const read = () => api.call('GET', '/v1/endpoints', { key, headers: { 'idempotency-key': 'a' } });
    expect([(await read()).status, (await read()).headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});
