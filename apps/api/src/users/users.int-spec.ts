import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

describe('users and pages', () => {
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    api = await startApi(new KeyRing(TEST_KEYS));
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });
  afterAll(() => api.stop());

  it('the same external id is the same user, also when two ask at once', async () => {
    const made = await api.call('POST', '/v1/users', { key, body: { externalId: 'ada', fallbackZone: 'Europe/Berlin' } });
    expect([made.status, made.body]).toEqual([
      201,
      { id: expect.stringMatching(/^usr_/), externalId: 'ada', fallbackZone: 'Europe/Berlin', createdAt: expect.any(String) },
    ]);
    const again = await api.call('POST', '/v1/users', { key, body: { externalId: 'ada' } });
    expect([again.status, again.body]).toEqual([200, made.body]);
    const twins = await Promise.all(Array.from({ length: 6 }, () => api.call('POST', '/v1/users', { key, body: { externalId: 'bob' } })));
    expect(new Set(twins.map(({ body }) => body.id)).size).toBe(1);
    expect(twins.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await api.rows('select action from audit_log')).toEqual([{ action: 'user.create' }, { action: 'user.create' }]);
  });

  it('a fallback zone is set, taken back and refused where it is none, and the connections of the user are looked at', async () => {
    const user = await api.seed.user(scope);
    const connection = await api.seed.connection(await api.seed.app(scope), user);
    const patch = (fallbackZone: unknown) => api.call('PATCH', `/v1/users/${user.id}`, { key, body: { fallbackZone } });
    expect(await patch('Europe/Lisbon')).toMatchObject({ status: 200, body: { id: user.id, fallbackZone: 'Europe/Lisbon' } });
    const owed = () =>
      api.rows(
        `select c.redate_due, w.collection, w.state from connection c
         left join fetch_window w on w.connection_id = c.id where c.id = $1`,
        [connection.id],
      );
    expect(await owed()).toEqual([{ redate_due: true, collection: 'grant', state: 'waiting' }]);
    expect(await patch('Mars/Olympus')).toMatchObject({ status: 422 });
    await api.rows('update connection set redate_due = false where id = $1', [connection.id]);
    await patch('Europe/Lisbon');
    expect((await owed())[0]).toMatchObject({ redate_due: false });
    expect(await patch(null)).toMatchObject({ status: 200, body: { fallbackZone: null } });
    expect((await owed())[0]).toMatchObject({ redate_due: true });
    expect(await api.call('PATCH', '/v1/users/usr_01M8QB8DZ3EXBWBC9ZHPWGRSYH', { key, body: { fallbackZone: null } })).toMatchObject({
      status: 404,
    });
  });

  it('a list is read to its end page by page, each user once', async () => {
    for (let n = 0; n < 7; n += 1) await api.seed.user(scope);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { status, body } = await api.call('GET', `/v1/users?limit=4${query}`, { key });
      expect(status).toBe(200);
      seen.push(...body.data.map((user: { id: string }) => user.id));
      cursor = body.nextCursor;
    } while (cursor !== null);
    const all = await api.rows<{ id: string }>('select id from app_user where tenant_id = $1 order by id', [scope.tenantId]);
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it('a cursor that is altered, of another list or of another tenant is refused', async () => {
    const { nextCursor } = (await api.call('GET', '/v1/users?limit=1', { key })).body;
    const stranger = await api.key(await api.seed.environment());
    const flipped = `${nextCursor.slice(0, -4)}${nextCursor.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    for (const [path, who] of [
      [`/v1/users?cursor=${flipped}`, key],
      ['/v1/users?cursor=usr_1', key],
      [`/v1/endpoints?cursor=${nextCursor}`, key],
      [`/v1/users?cursor=${nextCursor}`, stranger.key],
    ] as const) {
      const { status, body } = await api.call('GET', path, { key: who });
      expect([path, status, body.code, body.faults[0]?.path]).toEqual([path, 400, 'malformed_request', 'cursor']);
    }
  });

  it('another tenant, and the other environment of the same one, see and change nothing', async () => {
    const app = await api.seed.app(scope);
    const user = await api.seed.user(scope);
    const connection = await api.seed.connection(app, user);
    const endpoint = await api.seed.endpoint(scope);
    const event = (await api.call('POST', `/v1/endpoints/${endpoint.id}/test`, { key })).body.eventId;
    const erasure = (await api.call('DELETE', `/v1/users/${(await api.seed.user(scope)).id}`, { key })).body.erasureId;
    const strangers = [
      await api.key(await api.seed.environment()),
      await api.key(await api.seed.environment({ tenantId: scope.tenantId, environment: 'live' })),
    ];
    const tables = [
      'provider_app_secret',
      'app_user',
      'connection',
      'connect_session',
      'endpoint',
      'endpoint_secret',
      'event',
      'event_delivery',
      'erasure',
      'audit_log',
    ];
    const state = async () => Promise.all(tables.map(async (table) => await api.rows(`select t::text from ${table} t order by 1`)));
    const before = await state();
    const paths: [string, string, unknown?][] = [
      ['GET', `/v1/provider-apps/${app.id}`],
      ['POST', `/v1/provider-apps/${app.id}/secrets`, { purpose: 'client_secret', value: 'x', overlapS: 0 }],
      ['POST', `/v1/provider-apps/${app.id}/subscriptions`],
      ['GET', `/v1/users/${user.id}`],
      ['PATCH', `/v1/users/${user.id}`, { fallbackZone: 'Europe/Lisbon' }],
      ['DELETE', `/v1/users/${user.id}`],
      ['GET', `/v1/users/${user.id}/daily`],
      ['GET', `/v1/users/${user.id}/sleep`],
      ['GET', `/v1/connections/${connection.id}`],
      ['DELETE', `/v1/connections/${connection.id}`],
      ['GET', `/v1/endpoints/${endpoint.id}`],
      ['PATCH', `/v1/endpoints/${endpoint.id}`, { description: 'mine' }],
      ['DELETE', `/v1/endpoints/${endpoint.id}`],
      ['POST', `/v1/endpoints/${endpoint.id}/rotate-secret`],
      ['POST', `/v1/endpoints/${endpoint.id}/test`],
      ['GET', `/v1/events/${event}`],
      ['GET', `/v1/events/${event}/attempts`],
      ['POST', `/v1/events/${event}/replay`],
      ['GET', `/v1/erasures/${erasure}`],
    ];
    for (const stranger of strangers) {
      for (const [method, path, body] of paths) {
        const reply = await api.call(method, path, { key: stranger.key, body });
        expect([method, path, reply.status]).toEqual([method, path, 404]);
      }
      for (const list of [
        'provider-apps',
        'users',
        'connections',
        `connections?userId=${user.id}`,
        'endpoints',
        'events',
        'dead-letters?state=all',
      ]) {
        expect([list, (await api.call('GET', `/v1/${list}`, { key: stranger.key })).body.data]).toEqual([list, []]);
      }
      const session = await api.call('POST', '/v1/connect-sessions', { key: stranger.key, body: { userId: user.id, provider: 'oura' } });
      expect(session.status).toBe(422);
    }
    expect(await state()).toEqual(before);
  });
});
