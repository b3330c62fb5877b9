// doubles: none; the API runs on a database of its own and talks to the stand-ins through the client that it gets in production.
// oracles: rows.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../packages/storage/testing/seed.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const ada = '90417733';

describe('what a person ticked at the provider', () => {
  let providers: ProviderServer;
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  beforeAll(async () => {
    providers = await startProviders();
    api = await startApi(new KeyRing(TEST_KEYS), { TRIBUTARY_SANDBOX_URL: providers.url });
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });
  afterAll(async () => {
    await api.stop();
    await providers.stop();
  });

  it.each([
    // Strava says it in the address that the person comes back to, WHOOP with the tokens.
    ['strava', 'read,activity:read', ['read', 'activity:read'], ['activity']],
    ['whoop', 'offline read:profile read:sleep', ['offline', 'read:profile', 'read:sleep'], ['sleep']],
  ])('is what the connection may read: %s', async (provider, granted, scopes, collections) => {
    const client = { clientId: `${provider}-app`, clientSecret: 'secret' };
    const control = providers.controlOf(provider);
    await control('POST', '/apps', { ...client, redirectUris: ['http://api.example/connect/callback'] });
    await control('POST', '/people', { subjectId: ada });
    expect((await api.call('POST', '/v1/provider-apps', { key, body: { provider, ...client, sandbox: true } })).status).toBe(201);
    const { body: user } = await api.call('POST', '/v1/users', { key, body: { externalId: `user-of-${provider}` } });

    const session = await api.call('POST', '/v1/connect-sessions', { key, body: { userId: user.id, provider } });
    const authorize = new URL(session.body.authorizeUrl);
    authorize.searchParams.set('person', ada);
    authorize.searchParams.set('granted', granted);
    const back = new URL((await providers.call('GET', authorize.pathname + authorize.search)).headers.get('location') ?? '');
    const page = await api.call('GET', back.pathname + back.search);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Connected')]);

    const [connection] = await api.rows<{ id: string; subject_id: string; scopes: string[] }>(
      'select id, subject_id, scopes from connection where tenant_id = $1 and provider = $2',
      [scope.tenantId, provider],
    );
    expect(connection).toMatchObject({ subject_id: ada, scopes });
    const windows = await api.rows<{ collection: string }>(
      'select distinct collection from fetch_window where connection_id = $1 order by collection',
      [connection?.id],
    );
    expect(windows.map(({ collection }) => collection)).toEqual(collections);
  });
});
