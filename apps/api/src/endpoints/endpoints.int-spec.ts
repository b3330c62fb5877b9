import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const keys = new KeyRing(TEST_KEYS);

describe('endpoints', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    api = await startApi(keys);
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });

  const create = (body: object, who = key) => api.call('POST', '/v1/endpoints', { key: who, body });
  const secrets = async (endpointId: string) =>
    (
      await api.rows<{ id: string; sealed: Buffer; ends: number | null }>(
        'select id, sealed, extract(epoch from retires_at - now())::float8 as ends from endpoint_secret where endpoint_id = $1 order by created_at, id',
        [endpointId],
      )
    ).map((row) => ({ secret: keys.open(row.sealed, `endpoint_secret:${row.id}`), ends: row.ends }));

  it('an endpoint shows its secret once and keeps it sealed', async () => {
    const { status, body } = await create({
      url: 'https://customer.example/hooks',
      description: 'main',
      eventTypes: ['daily.updated'],
      scheduleS: [0, 1, 2],
    });
    expect(status).toBe(201);
    expect(Buffer.from(body.secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const { secret, ...shown } = body;
    expect(shown).toEqual({
      id: expect.stringMatching(/^ep_/),
      url: 'https://customer.example/hooks',
      description: 'main',
      eventTypes: ['daily.updated'],
      providers: null,
      metrics: null,
      users: null,
      payload: 'full',
      sourceView: 'source',
      ordering: 'none',
      ratePerSecond: null,
      scheduleS: [0, 1, 2],
      status: 'enabled',
      disabledReason: null,
      lastSuccessAt: null,
      failingSince: null,
      consecutiveFailures: 0,
      publicKeys: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await api.call('GET', `/v1/endpoints/${body.id}`, { key })).body).toEqual(shown);
    expect((await api.call('GET', '/v1/endpoints', { key })).body).toEqual({ data: [shown], nextCursor: null });
    expect(await secrets(body.id)).toEqual([{ secret, ends: null }]);
  });

  it('addresses and fields that cannot work are refused by name', async () => {
    const live = await api.key(await api.seed.environment({ tenantId: scope.tenantId, environment: 'live' }));
    for (const [body, path, who] of [
      [{ url: 'ftp://customer.example' }, 'url', key],
      [{ url: 'https://user:pw@customer.example' }, 'url', key],
      [{ url: 'nonsense' }, 'url', key],
      [{ url: 'https://customer.example/#part' }, 'url', key],
      [{ url: 'http://customer.example' }, 'url', live.key],
      [{}, 'url', key],
      [{ url: 'https://c.example', eventTypes: [] }, 'eventTypes', key],
      [{ url: 'https://c.example', eventTypes: ['no.such'] }, 'eventTypes.0', key],
      [{ url: 'https://c.example', scheduleS: [-1] }, 'scheduleS.0', key],
      [{ url: 'https://c.example', secret: 'mine' }, 'secret', key],
    ] as const) {
      const reply = await create(body, who);
      expect([body, reply.status, reply.body.faults?.[0]?.path]).toEqual([body, 422, path]);
    }
    expect(await api.rows('select 1 from endpoint where tenant_id = $1', [scope.tenantId])).toEqual([]);
    expect((await create({ url: 'http://127.0.0.1:9999/hooks' })).status).toBe(201);
  });

  it('a patch changes what it names, and enabling forgets failures', async () => {
    const { body: made } = await create({ url: 'https://customer.example/hooks', description: 'main' });
    const patch = (body: object) => api.call('PATCH', `/v1/endpoints/${made.id}`, { key, body });
    expect((await patch({ description: null, eventTypes: ['sleep.updated'] })).body).toMatchObject({
      url: made.url,
      description: null,
      eventTypes: ['sleep.updated'],
      status: 'enabled',
    });
    expect((await patch({ status: 'disabled' })).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'by_request',
      eventTypes: ['sleep.updated'],
    });
    await api.db.pool.query(
      `update endpoint set disabled_reason = 'gone', consecutive_failures = 30, failing_since = now() where id = $1`,
      [made.id],
    );
    expect((await patch({ description: 'still off' })).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
      consecutiveFailures: 30,
    });
    expect((await patch({ status: 'enabled' })).body).toMatchObject({
      status: 'enabled',
      disabledReason: null,
      consecutiveFailures: 0,
      failingSince: null,
    });
    // Another address did not fail, and is not left to rest for the one before.
    const failing = async () => {
      await api.db.pool.query(`update endpoint set consecutive_failures = 30, failing_since = now() where id = $1`, [made.id]);
      await api.db.pool.query(
        `insert into endpoint_pace (tenant_id, environment, endpoint_id, concurrency, failures, rests, rests_until)
         values ($1, 'test', $2, 1, 30, 4, now() + interval '5 minutes')
         on conflict (tenant_id, environment, endpoint_id) do update set concurrency = 1, failures = 30, rests = 4, rests_until = excluded.rests_until`,
        [scope.tenantId, made.id],
      );
    };
    const pace = () => api.rows('select concurrency, failures, rests, rests_until from endpoint_pace where endpoint_id = $1', [made.id]);
    await failing();
    expect((await patch({ url: made.url, description: 'as before' })).body).toMatchObject({ consecutiveFailures: 30 });
    expect(await pace()).toMatchObject([{ concurrency: 1, rests: 4, rests_until: expect.any(Date) }]);
    expect((await patch({ url: `${made.url}/v2` })).body).toMatchObject({ consecutiveFailures: 0, failingSince: null });
    expect(await pace()).toEqual([{ concurrency: 16, failures: 0, rests: 0, rests_until: null }]);
    await failing();
    await patch({ status: 'disabled' });
    expect(await pace()).toMatchObject([{ rests: 4 }]);
    await patch({ status: 'enabled' });
    expect(await pace()).toEqual([{ concurrency: 16, failures: 0, rests: 0, rests_until: null }]);
    for (const body of [{ url: 'http://user@x.example' }, { status: 'paused' }, { id: 'ep_1' }])
      expect((await patch(body)).status).toBe(422);
    const jobs = await api.rows<{ data: { key: string } }>(`select data from bullmq.job where data->>'key' = $1`, [
      `${scope.tenantId}/test#${made.id}`,
    ]);
    expect(jobs).toHaveLength(1);
  });

  it('an endpoint that wants v1a shows its public key to anybody and its private key to nobody; a rotation makes a new pair', async () => {
    const publicKeyOf = (held: string | undefined) => {
      const [shared, privateKey = ''] = held?.split(' ') ?? [];
      const bytes = Buffer.from(privateKey.slice('whsk_'.length), 'base64');
      expect(bytes).toHaveLength(64);
      return { shared, publicKey: `whpk_${bytes.subarray(32).toString('base64')}` };
    };
    const { body: made } = await create({ url: 'https://customer.example/hooks', asymmetric: true });
    const [first] = await secrets(made.id);
    expect(publicKeyOf(first?.secret)).toEqual({ shared: made.secret, publicKey: made.publicKeys[0] });
    expect(made.publicKeys).toHaveLength(1);
    const rotate = (body?: object) => api.call('POST', `/v1/endpoints/${made.id}/rotate-secret`, { key, body });
    const shown = async () => (await api.call('GET', `/v1/endpoints/${made.id}`, { key })).body.publicKeys;

    const second = (await rotate()).body;
    expect(publicKeyOf((await secrets(made.id))[1]?.secret)).toEqual({ shared: second.secret, publicKey: second.publicKey });
    expect(second.publicKey).not.toBe(made.publicKeys[0]);
    expect(await shown()).toEqual([second.publicKey, made.publicKeys[0]]);
    const third = (await rotate({ overlapS: 0 })).body;
    expect(await shown()).toEqual([third.publicKey]);
    expect((await rotate({ overlapS: 0, asymmetric: false })).body.publicKey).toBeNull();
    expect(await shown()).toEqual([]);
    expect(JSON.stringify((await api.call('GET', '/v1/endpoints', { key })).body)).not.toContain('whsk_');
    expect((await create({ url: 'https://customer.example/hooks', asymmetric: 'yes' })).status).toBe(422);
  });

  it('a rotated secret signs beside the old one until the overlap ends', async () => {
    const { body: made } = await create({ url: 'https://customer.example/hooks' });
    const rotate = (body?: object) => api.call('POST', `/v1/endpoints/${made.id}/rotate-secret`, { key, body });
    const second = (await rotate()).body.secret;
    const [first, next] = await secrets(made.id);
    expect([first?.secret, next]).toEqual([made.secret, { secret: second, ends: null }]);
    expect(first?.ends).toBeGreaterThan(86_390);
    const third = (await rotate({ overlapS: 0 })).body.secret;
    const all = await secrets(made.id);
    expect(all.filter(({ ends }) => ends === null || ends > 0).map(({ secret }) => secret)).toEqual([third]);
    expect((await rotate({ overlapS: 604_801 })).status).toBe(422);
  });

  it('a test goes to this endpoint alone, whatever its filter, and not to a disabled one', async () => {
    const { body: made } = await create({ url: 'https://customer.example/hooks', eventTypes: ['daily.updated'] });
    await create({ url: 'https://customer.example/other' });
    const { status, body } = await api.call('POST', `/v1/endpoints/${made.id}/test`, { key });
    expect(status).toBe(202);
    const event = (await api.call('GET', `/v1/events/${body.eventId}`, { key })).body;
    expect(event).toMatchObject({
      type: 'endpoint.test',
      revision: 1,
      data: { message: expect.any(String), revision: 1 },
      deliveries: [{ endpointId: made.id, state: 'pending' }],
    });
    // One that rests after failures is probed now: its owner has mended it, and wants to know.
    await api.db.pool.query(
      `insert into endpoint_pace (tenant_id, environment, endpoint_id, concurrency, failures, rests, rests_until)
       values ($1, 'test', $2, 4, 40, 6, now() + interval '10 minutes')`,
      [scope.tenantId, made.id],
    );
    await api.call('POST', `/v1/endpoints/${made.id}/test`, { key });
    expect(await api.rows('select rests, rests_until <= now() as over from endpoint_pace where endpoint_id = $1', [made.id])).toEqual([
      { rests: 6, over: true },
    ]);
    await api.call('PATCH', `/v1/endpoints/${made.id}`, { key, body: { status: 'disabled' } });
    expect((await api.call('POST', `/v1/endpoints/${made.id}/test`, { key })).body.code).toBe('endpoint_disabled');
  });

  it('a deleted endpoint is owed nothing any more', async () => {
    const { body: made } = await create({ url: 'https://customer.example/hooks' });
    const { eventId } = (await api.call('POST', `/v1/endpoints/${made.id}/test`, { key })).body;
    expect((await api.call('DELETE', `/v1/endpoints/${made.id}`, { key })).status).toBe(204);
    expect((await api.call('GET', `/v1/endpoints/${made.id}`, { key })).status).toBe(404);
    expect((await api.call('DELETE', `/v1/endpoints/${made.id}`, { key })).status).toBe(404);
    expect((await api.call('GET', `/v1/events/${eventId}`, { key })).body.deliveries).toEqual([
      { endpointId: made.id, state: 'cancelled', attempts: 0, nextAttemptAt: null, endedAt: expect.any(String) },
    ]);
    expect(await api.rows('select 1 from endpoint_secret where endpoint_id = $1', [made.id])).toEqual([]);
    const audit = await api.rows<{ action: string }>('select action from audit_log where tenant_id = $1 order by at, id', [scope.tenantId]);
    expect(audit.map(({ action }) => action)).toEqual(['endpoint.create', 'endpoint.test', 'endpoint.delete']);
  });
});
