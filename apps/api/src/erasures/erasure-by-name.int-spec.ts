import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('erasing a person by name', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });
  afterAll(() => api.stop());

  const erase = (body: unknown, headers = {}, withKey = key) => api.call('POST', '/v1/erasures', { key: withKey, body, headers });
  const users = (id: string) => api.rows('select id from app_user where id = $1', [id]);

  it('by our id and by theirs, found by it first', async () => {
    for (const name of ['userId', 'externalId'] as const) {
      const user = await api.seed.user(scope);
      const { body: found } = await api.call('GET', `/v1/users?externalId=${encodeURIComponent(user.externalId)}`, { key });
      expect(found.data.map((one: { id: string }) => one.id)).toEqual([user.id]);
      const { status, body } = await erase({ [name]: name === 'userId' ? user.id : user.externalId });
      expect([status, body.counts.app_user]).toEqual([201, 1]);
      expect(await users(user.id)).toEqual([]);
      expect((await api.call('GET', `/v1/erasures/${body.erasureId}`, { key })).body).toEqual(body);
      expect((await api.call('GET', `/v1/users?externalId=${encodeURIComponent(user.externalId)}`, { key })).body.data).toEqual([]);
    }
  });

  it('a repeat under the same idempotency key answers the same receipt, though nobody is there any more', async () => {
    const user = await api.seed.user(scope);
    const first = await erase({ externalId: user.externalId }, { 'idempotency-key': 'erase-1' });
    const again = await erase({ externalId: user.externalId }, { 'idempotency-key': 'erase-1' });
    expect([again.status, again.body]).toEqual([201, first.body]);
    const bare = await erase({ externalId: user.externalId });
    expect([bare.status, bare.body.code]).toEqual([404, 'not_found']);
    const told = await api.rows(`select from event where type = 'user.erased' and revision = $1`, [await lastRevision()]);
    expect(told).toHaveLength(1);
  });

  it('a person of another tenant is not found, and stays', async () => {
    const user = await api.seed.user(scope);
    const stranger = await api.key(await api.seed.environment());
    for (const body of [{ userId: user.id }, { externalId: user.externalId }]) {
      expect((await erase(body, {}, stranger.key)).status).toBe(404);
    }
    expect(await users(user.id)).toHaveLength(1);
  });

  it('wants one name, and only one', async () => {
    const user = await api.seed.user(scope);
    for (const body of [{}, { userId: user.id, externalId: user.externalId }, { userId: 'me' }, { name: 'x' }]) {
      expect((await erase(body)).status).toBe(422);
    }
    expect(await users(user.id)).toHaveLength(1);
  });

  it('the receipt knows the revision of the event that told of it, and nothing of the person', async () => {
    const user = await api.seed.user(scope);
    const { body } = await erase({ userId: user.id });
    const [row] = await api.rows<{ revision: string; text: string }>('select revision, erasure::text as text from erasure where id = $1', [
      body.erasureId,
    ]);
    expect(Number(row?.revision)).toBe(await lastRevision());
    expect(row?.text).not.toContain(user.id);
    expect(row?.text).not.toContain(user.externalId);
  });

  const lastRevision = async () => {
    const [counter] = await api.rows<{ last: number }>('select last_revision::int as last from revision_counter where tenant_id = $1', [
      scope.tenantId,
    ]);
    return counter?.last;
  };
});
