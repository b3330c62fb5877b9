import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, type SeededUser, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const keys = new KeyRing(TEST_KEYS);
const url = 'https://customer.example/hooks';

describe('what an endpoint takes', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let user: SeededUser;
  let key: string;

  beforeAll(async () => {
    api = await startApi(keys);
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    scope = await api.seed.environment();
    user = await api.seed.user(scope);
    ({ key } = await api.key(scope));
  });

  const create = (body: object) => api.call('POST', '/v1/endpoints', { key, body: { url, ...body } });
  const patch = (id: string, body: object) => api.call('PATCH', `/v1/endpoints/${id}`, { key, body });
  const row = async (id: string) =>
    (
      await api.rows<Record<string, unknown>>(
        'select providers, metrics, user_ids, payload, source_view, ordering, rate_per_second, schedule_s from endpoint where id = $1',
        [id],
      )
    )[0];
  /** Endpoints that are owed the event. */
  const owed = async (type: string) =>
    (
      await api.rows<{ id: string }>(
        `select d.endpoint_id as id from event e join event_delivery d on d.event_id = e.id where e.tenant_id = $1 and e.type = $2 order by 1`,
        [scope.tenantId, type],
      )
    ).map(({ id }) => id);

  it('is stored as it was asked for, people by our ids however they were named, and shown again', async () => {
    const other = await api.seed.user(scope);
    const wish = {
      providers: ['oura', 'garmin'],
      metrics: ['steps', 'sleep_session'],
      payload: 'thin',
      sourceView: 'both',
      ordering: 'user',
      ratePerSecond: 2.5,
      scheduleS: [0, 86_400],
    };
    const made = await create({ ...wish, users: [user.externalId, other.id] });
    expect(made.status).toBe(201);
    const { secret: _, ...shown } = made.body;
    expect(shown).toMatchObject({ ...wish, users: [user.id, other.id] });
    expect(await row(shown.id)).toEqual({
      providers: wish.providers,
      metrics: wish.metrics,
      user_ids: [user.id, other.id],
      payload: 'thin',
      source_view: 'both',
      ordering: 'user',
      rate_per_second: 2.5,
      schedule_s: [0, 86_400],
    });
    expect((await api.call('GET', `/v1/endpoints/${shown.id}`, { key })).body).toEqual(shown);
    expect((await api.call('GET', '/v1/endpoints', { key })).body.data).toEqual([shown]);
  });

  it('a patch changes one of them and keeps the rest; null is everything again', async () => {
    const { body: made } = await create({ providers: ['oura'], users: [user.id, user.externalId], payload: 'thin', ratePerSecond: 3 });
    expect(made.users).toEqual([user.id]);
    expect((await patch(made.id, { metrics: ['steps'] })).body).toMatchObject({
      providers: ['oura'],
      users: [user.id],
      metrics: ['steps'],
    });
    const after = await patch(made.id, { users: null, providers: null, ratePerSecond: null, sourceView: 'resolved' });
    expect([after.status, await row(made.id)]).toEqual([
      200,
      {
        providers: null,
        metrics: ['steps'],
        user_ids: null,
        payload: 'thin',
        source_view: 'resolved',
        ordering: 'none',
        rate_per_second: null,
        schedule_s: null,
      },
    ]);
  });

  it('refuses what is not known by its place, and writes nothing', async () => {
    const elsewhere = await api.seed.user(await api.seed.environment());
    const { body: made } = await create({ description: 'kept' });
    const before = await row(made.id);
    for (const [body, path] of [
      [{ providers: ['oura', 'acme'] }, 'providers.1'],
      [{ providers: [] }, 'providers'],
      [{ metrics: ['mood'] }, 'metrics.0'],
      [{ metrics: ['steps', 'steps'] }, 'metrics'],
      [{ users: [user.id, 'nobody'] }, 'users.1'],
      [{ users: [elsewhere.id] }, 'users.0'],
      [{ users: [elsewhere.externalId] }, 'users.0'],
      [{ payload: 'small' }, 'payload'],
      [{ sourceView: 'all' }, 'sourceView'],
      [{ ordering: 'strict' }, 'ordering'],
      [{ ratePerSecond: 0 }, 'ratePerSecond'],
      [{ ratePerSecond: 10_001 }, 'ratePerSecond'],
      [{ scheduleS: Array.from({ length: 21 }, () => 0) }, 'scheduleS'],
    ] as const) {
      for (const reply of [await create(body), await patch(made.id, body)]) {
        expect([body, reply.status, reply.body.code, reply.body.faults?.[0]?.path]).toEqual([body, 422, 'validation_failed', path]);
      }
    }
    expect(await row(made.id)).toEqual(before);
    expect(await api.rows('select 1 from endpoint where tenant_id = $1', [scope.tenantId])).toHaveLength(1);
  });

  it('tells of the end of a connection whom it concerns', async () => {
    const connection = await api.seed.connection(await api.seed.app(scope), user);
    const { body: his } = await create({ users: [user.id], providers: ['oura'], metrics: ['steps'] });
    const other = await api.seed.user(scope);
    await create({ users: [other.id] });
    await create({ providers: ['garmin'] });
    expect((await api.call('DELETE', `/v1/connections/${connection.id}`, { key })).status).toBe(200);
    expect(await owed('connection.revoked')).toEqual([his.id]);
  });

  it('an erasure is told to who was told of the person, and to nobody else; then the list is empty and takes nobody', async () => {
    const other = await api.seed.user(scope);
    const { body: his } = await create({ users: [user.id], metrics: ['steps'], providers: ['garmin'] });
    const { body: hers } = await create({ users: [other.id] });
    const { body: all } = await create({});
    const { body: both } = await create({ users: [user.id, other.id] });
    await create({ eventTypes: ['daily.updated'] });
    const erased = await api.call('DELETE', `/v1/users/${user.id}`, { key });
    expect(erased.status).toBeLessThan(300);
    expect(await owed('user.erased')).toEqual([his.id, all.id, both.id].sort());
    const shown = async (id: string) => (await api.call('GET', `/v1/endpoints/${id}`, { key })).body.users;
    expect([await shown(his.id), await shown(hers.id), await shown(both.id)]).toEqual([[], [other.id], [other.id]]);
    expect(await api.rows('select 1 from endpoint where $1 = any (user_ids)', [user.id])).toEqual([]);
    expect((await patch(his.id, { users: [user.externalId] })).status).toBe(422);
  });
});
