import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';

describe('secrets of endpoints', () => {
  const keys = new KeyRing(TEST_KEYS);
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let id: string;
  let first: string;

  beforeAll(async () => {
    api = await startApi(keys);
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    const made = await api.call('POST', '/v1/endpoints', { key, body: { url: 'https://customer.example/hooks' } });
    id = made.body.id;
    first = made.body.secret;
  });

  const call = (method: string, path = '', body?: object, as = key) =>
    api.call(method, `/v1/endpoints/${id}/secrets${path}`, { key: as, body });
  const list = async () => (await call('GET')).body.data;
  /** What is stored, opened, newest first. */
  const stored = async () =>
    (
      await api.rows<{ id: string; sealed: Buffer }>(
        'select id, sealed from endpoint_secret where endpoint_id = $1 order by created_at desc, id desc',
        [id],
      )
    ).map((row) => keys.open(row.sealed, `endpoint_secret:${row.id}`));

  it('are listed by how they begin, and never shown again', async () => {
    const answer = await call('GET');
    expect(answer.body).toEqual({
      data: [
        { id: expect.stringMatching(/^sec_/), prefix: first.slice(0, 10), publicKey: null, createdAt: expect.any(String), expiresAt: null },
      ],
    });
    expect(JSON.stringify(answer.body)).not.toContain(first.slice(10));
  });

  it('one more signs beside the others, until five do', async () => {
    const made = await call('POST', '', { asymmetric: true });
    expect(made).toMatchObject({ status: 201, body: { expiresAt: null, publicKey: expect.stringMatching(/^whpk_/) } });
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await stored())[0]?.split(' ')).toEqual([made.body.secret, expect.stringMatching(/^whsk_/)]);
    expect((await stored())[1]).toBe(first);
    expect((await list()).map((one: { prefix: string }) => one.prefix)).toEqual([made.body.secret.slice(0, 10), first.slice(0, 10)]);
    expect(JSON.stringify(await list())).not.toContain('whsk_');
    for (let n = 0; n < 3; n += 1) expect((await call('POST')).status).toBe(201);
    expect(await call('POST')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await stored()).toHaveLength(5);
  });

  it('rotating gives the earlier ones an end, a day from now unless told otherwise', async () => {
    await api.call('POST', `/v1/endpoints/${id}/rotate-secret`, { key });
    const [now, before] = await list();
    expect(now.expiresAt).toBeNull();
    const left = Date.parse(before.expiresAt) - Date.now();
    expect(left).toBeGreaterThan(86_000_000);
    expect(left).toBeLessThanOrEqual(86_400_000);
    await api.call('POST', `/v1/endpoints/${id}/rotate-secret`, { key, body: { overlapS: 0 } });
    expect(await list()).toHaveLength(1);
  });

  it('are revoked at once, but for the last one without an end', async () => {
    const [only] = await list();
    expect(await call('DELETE', `/${only.id}`)).toMatchObject({
      status: 409,
      body: { code: 'last_secret', detail: expect.stringContaining('Make another secret first') },
    });
    const { secret } = (await api.call('POST', `/v1/endpoints/${id}/rotate-secret`, { key })).body;
    const [next] = await list();
    // The other one signs for a day yet; after that nothing would.
    expect((await call('DELETE', `/${next.id}`)).body.code).toBe('last_secret');
    expect((await call('DELETE', `/${only.id}`)).status).toBe(204);
    expect(await stored()).toEqual([secret]);
    expect((await call('DELETE', `/${only.id}`)).status).toBe(404);
    const audited = await api.rows<{ action: string }>('select action from audit_log where tenant_id = $1', [scope.tenantId]);
    expect(audited.filter(({ action }) => action === 'endpoint.revoke_secret')).toHaveLength(1);
  });

  it('two calls that revoke the last two at the same moment leave one', async () => {
    await call('POST');
    const ids = (await list()).map((one: { id: string }) => one.id);
    const statuses = (await Promise.all(ids.map((one: string) => call('DELETE', `/${one}`)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 409]);
    expect(await stored()).toHaveLength(1);
  });

  it("are nobody else's", async () => {
    const stranger = (await api.key(await api.seed.environment())).key;
    const [only] = await list();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', `/${only.id}`],
    ] as const)
      expect((await call(method, path, undefined, stranger)).status).toBe(404);
    expect(await stored()).toEqual([first]);
  });
});
