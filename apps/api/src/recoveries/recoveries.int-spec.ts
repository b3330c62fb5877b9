import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { oweEvent } from '../../../../packages/storage/testing/owe-event.js';
import { type SeededEndpoint, type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';
import { type RunningApi, startApi } from '../../testing/start-api.js';

describe('recoveries', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let endpoint: SeededEndpoint;
  let serial = 0;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    endpoint = await api.seed.endpoint(scope);
    await api.rows('update revision_counter set last_revision = 100000 where tenant_id = $1', [scope.tenantId]);
  });

  const post = (path: string, body?: object) => api.call('POST', path, { key, body });
  const get = (path: string) => api.call('GET', path, { key });
  const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
  const owe = async (owed: Parameters<typeof oweEvent>[3] = {}, to = endpoint) => {
    serial += 1;
    const id = `evt_r${serial}`;
    await oweEvent(api.db.pool, to, id, { state: 'failed', ...owed });
    return id;
  };
  const written = async () => ({
    recoveries: await api.rows('select * from recovery where tenant_id = $1', [scope.tenantId]),
    states: await api.rows<{ state: string; n: number }>(
      'select state, count(*)::int as n from event_delivery where tenant_id = $1 group by 1 order by 1',
      [scope.tenantId],
    ),
    audited: (
      await api.rows<{ action: string }>('select action from audit_log where tenant_id = $1 order by at, id', [scope.tenantId])
    ).map(({ action }) => action),
  });

  it('recover writes down what failed or was cancelled since then, and shows how far it is', async () => {
    await owe();
    await owe({ state: 'cancelled' });
    await owe({ state: 'delivered' });
    const begun = await post(`/v1/endpoints/${endpoint.id}/recover`, { since: hourAgo() });
    expect(begun).toMatchObject({
      status: 202,
      body: {
        dryRun: false,
        total: 2,
        recovery: { kind: 'recover', state: 'running', paused: false, endpointId: endpoint.id, total: 2, queued: 0, endedAt: null },
      },
    });
    const { id, estimatedEndAt } = begun.body.recovery;
    expect(Date.parse(estimatedEndAt)).toBeGreaterThan(Date.now() - 10_000);
    expect((await get(`/v1/recoveries/${id}`)).body).toMatchObject({ id, states: ['failed', 'cancelled'] });
    const { recoveries, audited } = await written();
    expect(recoveries).toMatchObject([{ id, endpoint_id: endpoint.id, by_filters: false, state: 'running', total: 2, queued: 0 }]);
    expect(audited).toEqual(['recovery.create']);
  });

  it('what occurred before is not of it', async () => {
    const old = await owe();
    await api.rows(`update event set occurred_at = now() - interval '3 hours' where id = $1`, [old]);
    expect((await post(`/v1/endpoints/${endpoint.id}/recover`, { since: hourAgo() })).body.total).toBe(0);
    const before = { since: new Date(Date.now() - 4 * 3_600_000).toISOString(), until: hourAgo() };
    expect((await post(`/v1/endpoints/${endpoint.id}/recover`, before)).body.total).toBe(1);
  });

  it('replay-missing counts what the endpoint would be owed and has not got, by its filters of today', async () => {
    const late = await api.seed.endpoint(scope, { eventTypes: ['daily.updated'] });
    await owe({ state: 'delivered' });
    await owe({ state: 'delivered', type: 'sleep.updated' });
    await owe({ state: 'delivered', type: 'endpoint.test' });
    await owe({ state: 'delivered' }, late);
    const { body } = await post(`/v1/endpoints/${late.id}/replay-missing`, { since: hourAgo() });
    expect(body).toMatchObject({ total: 1, recovery: { kind: 'replay_missing', states: ['failed', 'cancelled', 'missing'] } });
  });

  it('a dry run counts by every filter, and writes nothing', async () => {
    const user = await api.seed.user(scope);
    const other = await api.seed.endpoint(scope);
    const of = (provider: string, metric: string) => Buffer.from(JSON.stringify({ provider, metric }));
    await owe({ data: of('oura', 'steps'), userId: user.id });
    await owe({ data: of('oura', 'floors'), state: 'delivered' });
    await owe({ data: of('polar', 'steps') }, other);
    await owe({ type: 'connection.created', data: Buffer.from('{"provider":"oura"}') });
    await owe({ data: null });
    const before = await written();
    const count = async (filter: object) => (await post('/v1/recoveries', { ...filter, dryRun: true })).body;
    expect(await count({})).toEqual({ dryRun: true, total: 3, recovery: null });
    for (const [filter, total] of [
      [{ providers: ['oura'] }, 2],
      [{ metrics: ['steps'] }, 2],
      [{ metrics: ['steps', 'floors'], states: ['failed', 'delivered'] }, 3],
      [{ providers: ['polar'], endpointId: endpoint.id }, 0],
      [{ endpointId: other.id }, 1],
      [{ userIds: [user.id] }, 1],
      [{ types: ['connection.created'] }, 1],
      [{ to: hourAgo() }, 0],
      [{ from: hourAgo() }, 3],
    ] as const)
      expect([filter, (await count(filter)).total]).toEqual([filter, total]);
    expect(await written()).toEqual(before);
  });

  it('a disabled endpoint is refused until it is enabled, and enabling sends nothing that had ended', async () => {
    await owe();
    await api.call('PATCH', `/v1/endpoints/${endpoint.id}`, { key, body: { status: 'disabled' } });
    for (const path of ['recover', 'replay-missing'])
      expect(await post(`/v1/endpoints/${endpoint.id}/${path}`, { since: hourAgo() })).toMatchObject({
        status: 409,
        body: { code: 'endpoint_disabled', detail: expect.stringContaining('Enable it first') },
      });
    expect((await post('/v1/recoveries', { endpointId: endpoint.id })).body.code).toBe('endpoint_disabled');
    await api.call('PATCH', `/v1/endpoints/${endpoint.id}`, { key, body: { status: 'enabled' } });
    expect(await written()).toMatchObject({ recoveries: [], states: [{ state: 'failed', n: 1 }] });
    expect((await post(`/v1/endpoints/${endpoint.id}/recover`, { since: hourAgo() })).status).toBe(202);
  });

  it('is listed newest first by endpoint and state, page by page, and cancelled once', async () => {
    const other = await api.seed.endpoint(scope);
    const ids: string[] = [];
    for (const to of [endpoint, other, endpoint]) {
      ids.unshift((await post(`/v1/endpoints/${to.id}/recover`, { since: hourAgo() })).body.recovery.id);
      await new Promise((wait) => setTimeout(wait, 5));
    }
    const listed = async (query: string) => (await get(`/v1/recoveries${query}`)).body;
    const first = await listed('?limit=2');
    const second = await listed(`?limit=2&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data].map((one: { id: string }) => one.id)).toEqual(ids);
    for (let n = 0; n < 2; n += 1)
      expect(await post(`/v1/recoveries/${ids[0]}/cancel`)).toMatchObject({
        status: 200,
        body: { state: 'cancelled', estimatedEndAt: null },
      });
    expect((await listed(`?state=running&endpointId=${endpoint.id}`)).data).toMatchObject([{ id: ids[2] }]);
    expect((await written()).audited.filter((action) => action === 'recovery.cancel')).toHaveLength(1);
  });

  it("is nobody else's", async () => {
    const { id } = (await post(`/v1/endpoints/${endpoint.id}/recover`, { since: hourAgo() })).body.recovery;
    const stranger = await api.key(await api.seed.environment());
    const as = (method: string, path: string, body?: object) => api.call(method, path, { key: stranger.key, body });
    expect((await as('GET', `/v1/recoveries/${id}`)).status).toBe(404);
    expect((await as('POST', `/v1/recoveries/${id}/cancel`)).status).toBe(404);
    expect((await as('GET', '/v1/recoveries')).body.data).toEqual([]);
    for (const path of ['recover', 'replay-missing'])
      expect((await as('POST', `/v1/endpoints/${endpoint.id}/${path}`, { since: hourAgo() })).status).toBe(404);
    expect((await as('POST', `/v1/endpoints/${endpoint.id}/cancel-pending`)).status).toBe(404);
    expect((await as('POST', '/v1/recoveries', { endpointId: endpoint.id })).status).toBe(404);
    expect((await written()).recoveries).toMatchObject([{ state: 'running' }]);
  });

  it('ten run at a time, and a span has to have a length', async () => {
    const begin = () => post(`/v1/endpoints/${endpoint.id}/recover`, { since: hourAgo() });
    for (let n = 0; n < 10; n += 1) expect((await begin()).status).toBe(202);
    expect(await begin()).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    expect((await written()).recoveries).toHaveLength(10);
    const since = hourAgo();
    expect((await post(`/v1/endpoints/${endpoint.id}/recover`, { since, until: since })).body).toMatchObject({
      code: 'validation_failed',
      faults: [{ path: 'since' }],
    });
    for (const body of [{}, { since: 'yesterday' }, { since, other: 1 }])
      expect((await post(`/v1/endpoints/${endpoint.id}/recover`, body)).status).toBe(422);
    for (const body of [{ states: [] }, { states: ['pending'] }, { types: ['nothing'] }])
      expect((await post('/v1/recoveries', body)).status).toBe(422);
  });

  it('ten run at a time, also of many that are asked for at once', async () => {
    const begun = await Promise.all(Array.from({ length: 16 }, () => post(`/v1/endpoints/${endpoint.id}/recover`, { since: hourAgo() })));
    expect(begun.map(({ status }) => status).sort()).toEqual([...Array(10).fill(202), ...Array(6).fill(429)]);
    expect((await written()).recoveries).toHaveLength(10);
  });

  it('names whom nobody here knows, also of another environment, and writes nothing', async () => {
    const user = await api.seed.user(scope);
    const stranger = await api.seed.user(await api.seed.environment());
    for (const dryRun of [true, false])
      expect((await post('/v1/recoveries', { userIds: [user.id, stranger.id], dryRun })).body).toMatchObject({
        code: 'validation_failed',
        faults: [{ path: 'userIds.1', message: 'is no user of this environment' }],
      });
    expect((await written()).recoveries).toEqual([]);
  });

  it('an erased person goes out of its list, which then names nobody, and not everybody', async () => {
    const user = await api.seed.user(scope);
    await owe({ userId: user.id });
    await owe();
    await post('/v1/recoveries', { userIds: [user.id] });
    expect((await written()).recoveries).toMatchObject([{ user_ids: [user.id], total: 1 }]);
    await api.call('DELETE', `/v1/users/${user.id}`, { key });
    expect((await written()).recoveries).toMatchObject([{ user_ids: [] }]);
  });

  it('cancel-pending gives up what waits and matches, and leaves what is being sent', async () => {
    const user = await api.seed.user(scope);
    const ids = [
      await owe({ state: 'pending', userId: user.id }),
      await owe({ state: 'pending', type: 'sleep.updated', attempts: 3, dueInMs: 3_600_000 }),
      await owe({ state: 'sending', dueInMs: 60_000 }),
      await owe({ state: 'pending' }, await api.seed.endpoint(scope)),
    ];
    const cancel = async (filter?: object) => (await post(`/v1/endpoints/${endpoint.id}/cancel-pending`, filter)).body;
    const states = async () => {
      const rows = await api.rows<{ event_id: string; state: string; ended_at: Date | null }>(
        'select event_id, state, ended_at from event_delivery where tenant_id = $1',
        [scope.tenantId],
      );
      return ids.map((id) => rows.find((row) => row.event_id === id)?.state);
    };
    expect(await cancel({ to: hourAgo() })).toEqual({ cancelled: 0, more: false });
    expect(await cancel({ userIds: [user.id] })).toEqual({ cancelled: 1, more: false });
    expect(await states()).toEqual(['cancelled', 'pending', 'sending', 'pending']);
    expect(await cancel({ types: ['sleep.updated'] })).toEqual({ cancelled: 1, more: false });
    expect(await cancel()).toEqual({ cancelled: 0, more: false });
    expect(await states()).toEqual(['cancelled', 'cancelled', 'sending', 'pending']);
    expect((await post(`/v1/endpoints/${endpoint.id}/recover`, { since: hourAgo() })).body.total).toBe(2);
  });

  it('cancel-pending goes by provider and metric, which the event itself says', async () => {
    const told = (data: object) => owe({ state: 'pending', data: Buffer.from(JSON.stringify(data)) });
    const ids = [
      await told({ provider: 'oura', metric: 'steps' }),
      await told({ provider: 'oura', metric: 'resting_heart_rate' }),
      await told({ provider: 'whoop', metric: 'steps' }),
      await told({}),
      await owe({ state: 'pending', type: 'endpoint.failing', data: Buffer.from('{"provider":"oura","metric":"steps"}') }),
      await owe({ state: 'pending', data: null }),
    ];
    const cancel = async (filter: object) => (await post(`/v1/endpoints/${endpoint.id}/cancel-pending`, filter)).body.cancelled;
    const left = async () => {
      const rows = await api.rows<{ id: string }>(`select event_id as id from event_delivery where tenant_id = $1 and state = 'pending'`, [
        scope.tenantId,
      ]);
      return ids.flatMap((id, n) => (rows.some((row) => row.id === id) ? [n] : []));
    };
    expect(await cancel({ providers: ['polar'] })).toBe(0);
    expect(await cancel({ providers: ['oura'], metrics: ['steps'] })).toBe(1);
    expect(await left()).toEqual([1, 2, 3, 4, 5]);
    expect(await cancel({ metrics: ['steps'] })).toBe(1);
    expect(await left()).toEqual([1, 3, 4, 5]);
    expect(await cancel({ providers: ['oura', 'whoop'] })).toBe(1);
    expect(await left()).toEqual([3, 4, 5]);
    expect((await post(`/v1/endpoints/${endpoint.id}/cancel-pending`, { metrics: [] })).status).toBe(422);
  });

  it('cancel-pending of the last one who was to hear of an erasure takes the person out of the event', async () => {
    const id = await owe({ state: 'pending', type: 'user.erased' });
    await post(`/v1/endpoints/${endpoint.id}/cancel-pending`);
    expect(await api.rows('select data from event where id = $1', [id])).toEqual([{ data: null }]);
  });
});
