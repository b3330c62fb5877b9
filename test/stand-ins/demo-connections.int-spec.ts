// doubles: none; the API on a database of its own and the stand-ins, over HTTP.
// oracles: rows, and what the stand-in holds.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../packages/storage/testing/seed.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const keys = new KeyRing(TEST_KEYS);

describe('demo connections', () => {
  let providers: ProviderServer;
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    providers = await startProviders();
    api = await startApi(keys, { TRIBUTARY_SANDBOX_URL: providers.url });
  });
  afterAll(async () => {
    await api.stop();
    await providers.stop();
  });
  beforeEach(async () => {
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });

  const demo = (body: object = {}, who = key) =>
    api.call('POST', '/v1/connections/demo', { key: who, body: { user: { externalId: 'ext-1' }, ...body } });
  const connections = () =>
    api.rows<{ id: string; subject_id: string; provider: string; access_token: Buffer }>(
      'select id, subject_id, provider, access_token from connection where tenant_id = $1 order by id',
      [scope.tenantId],
    );

  it.each(['oura', 'strava'])('a person is made up with two weeks of data and consents like any other: %s', async (provider) => {
    const made = await demo({ provider });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ provider, status: 'active' })]);
    const [row] = await connections();
    expect(row).toMatchObject({ id: made.body.id, provider });
    const token = keys.open(row?.access_token as Buffer, `connection:${row?.id}:access`);
    expect(token).toMatch(/^[\w-]{32}$/);
    const control = providers.controlOf(provider);
    const { documents } = await control<{ documents: Record<string, unknown[]> }>('GET', `/people/${row?.subject_id}/truth`);
    expect(documents[provider === 'oura' ? 'daily_activity' : 'activity']?.length).toBeGreaterThan(6);
    // All that a first consent owes: the past is read, the webhooks are asked for, the customer is told.
    expect(await api.rows('select cause from backfill where connection_id = $1', [row?.id])).toEqual([{ cause: 'consent' }]);
    expect((await api.rows('select 1 from fetch_window where connection_id = $1', [row?.id])).length).toBeGreaterThan(0);
    expect(await api.rows('select 1 from subscription_upkeep where tenant_id = $1', [scope.tenantId])).toHaveLength(1);
    expect((await api.call('GET', '/v1/events?type=connection.created', { key })).body.data).toHaveLength(1);
    const apps = (await api.call('GET', '/v1/provider-apps', { key })).body.data;
    expect(apps).toEqual([expect.objectContaining({ provider, sandbox: true, clientId: expect.stringMatching(/^demo-/) })]);
  });

  it('again it is the same connection, also after the sandbox forgot everything; others share the app', async () => {
    const first = await demo();
    expect((await demo()).body.id).toBe(first.body.id);
    await providers.control('DELETE', '/');
    await api.db.pool.query(`update connection set status = 'reauth_required' where id = $1`, [first.body.id]);
    const again = await demo();
    expect([again.status, again.body.id, again.body.status]).toEqual([201, first.body.id, 'active']);
    const other = await demo({ user: { externalId: 'ext-2' } });
    expect(other.status).toBe(201);
    const rows = await connections();
    expect(new Set(rows.map(({ subject_id: subject }) => subject)).size).toBe(2);
    expect((await api.call('GET', '/v1/provider-apps', { key })).body.data).toHaveLength(1);
  });

  it('asked for many times at once, each user has one connection, which asking again finds', async () => {
    const users = ['ext-1', 'ext-2', 'ext-1', 'ext-2', 'ext-1', 'ext-3'];
    const made = await Promise.all(users.map((externalId) => demo({ user: { externalId } })));
    expect(made.map(({ status, body }) => [status, body.status])).toEqual(users.map(() => [201, 'active']));
    const rows = await connections();
    expect(rows).toHaveLength(3);
    for (const [n, externalId] of users.entries()) {
      const again = await demo({ user: { externalId } });
      expect([again.status, again.body.id]).toEqual([201, made[n]?.body.id]);
    }
    expect(await connections()).toEqual(rows);
  });

  it('never in live, nowhere without a sandbox, and not over a real connection', async () => {
    const live = await api.key(await api.seed.environment({ tenantId: scope.tenantId, environment: 'live' }));
    expect([(await demo({}, live.key)).status, (await demo({}, live.key)).body.code]).toEqual([409, 'conflict']);
    expect((await demo({ provider: 'garmin' })).body.faults).toEqual([{ path: 'provider', message: 'is not one of oura, strava' }]);
    const app = await api.seed.app(scope);
    const user = await api.seed.user(scope);
    await api.seed.connection(app, user, { subjectId: 'real' });
    const refused = await demo({ user: undefined, userId: user.id });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await connections()).map(({ subject_id: subject }) => subject)).toEqual(['real']);
  });
});
