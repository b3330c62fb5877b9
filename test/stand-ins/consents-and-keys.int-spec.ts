// doubles: none; the API runs on a database of its own and talks to the stand-ins through the client that it gets in production.
// oracles: rows, opened secrets, and a webhook that the stand-in signed.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { findProvider } from '../../packages/providers/src/registry.js';
import { polar } from '../../packages/providers/src/polar/provider.js';
import { type SeededEnvironment, TEST_KEYS } from '../../packages/storage/testing/seed.js';
import { type ProviderServer, startProviders } from './provider-server.js';
import { type Receiver, startReceiver } from './receiver-server.js';

const keys = new KeyRing(TEST_KEYS);
const noKeys = { current: () => Promise.reject(new Error('none')), renewed: () => Promise.reject(new Error('none')) };
const ada = '38291047';

describe('the API with providers that are not like the first one', () => {
  let providers: ProviderServer;
  let ingest: Receiver;
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  beforeAll(async () => {
    providers = await startProviders();
    ingest = await startReceiver({ decide: () => ({ do: 'answer', status: 200 }) });
    api = await startApi(keys, { TRIBUTARY_SANDBOX_URL: providers.url, PUBLIC_INGEST_URL: ingest.url });
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });
  afterAll(async () => {
    await api.stop();
    await ingest.stop();
    await providers.stop();
  });

  async function appOf(provider: string) {
    const client = { clientId: `${provider}-app`, clientSecret: 'secret' };
    await providers.controlOf(provider)('POST', '/apps', { ...client, redirectUris: ['http://api.example/connect/callback'] });
    await providers.controlOf(provider)('POST', '/people', { subjectId: ada });
    const { status, body } = await api.call('POST', '/v1/provider-apps', { key, body: { provider, ...client, sandbox: true } });
    expect(status).toBe(201);
    return body as { id: string; appKey: string; webhookUrl: string };
  }

  it('keeps the key that Polar makes up and shows once, and asks for a new one where it was lost', async () => {
    const app = await appOf('polar');
    const ensure = async () => (await api.call('POST', `/v1/provider-apps/${app.id}/subscriptions`, { key })).body as object;
    const live = () =>
      api.rows<{ id: string; sealed: Buffer }>(
        `select id, sealed from provider_app_secret where provider_app_id = $1 and purpose = 'webhook_secret' and retires_at is null`,
        [app.id],
      );
    expect(await ensure()).toEqual({ created: 1, renewed: 0, present: 0 });
    expect(await ensure()).toEqual({ created: 0, renewed: 0, present: 1 });
    const [made, ...more] = await live();
    expect(more).toEqual([]);
    if (made === undefined) throw new Error('no key was kept');

    ingest.clear();
    await providers.controlOf('polar')('POST', '/webhooks', { subjectId: ada, event: 'SLEEP', about: '2026-09-15' });
    const [sent] = ingest.received;
    if (sent === undefined) throw new Error('nothing came');
    expect(sent.path).toBe(new URL(app.webhookUrl).pathname);
    const request = { method: 'POST', url: sent.path, query: sent.query, headers: new Map(Object.entries(sent.headers)), body: sent.body };
    const value = keys.open(made.sealed, `provider_app_secret:${made.id}`);
    const secrets = [{ id: made.id, purpose: 'webhook_secret' as const, value }];
    expect(await polar.verify(request, { clientId: 'polar-app', toleranceMs: 1, secrets }, Date.now(), noKeys)).toMatchObject({ ok: true });

    await api.db.pool.query(`delete from provider_app_secret where id = $1`, [made.id]);
    expect(await ensure()).toEqual({ created: 1, renewed: 0, present: 0 });
    expect((await live()).map(({ id }) => id)).not.toContain(made.id);
  });

  it.each([
    ['withings', ['grant']],
    ['polar', []],
  ])('takes the person from the answer of %s, and reads all that was granted', async (provider, beside) => {
    const read = Object.entries(findProvider(provider)?.collections ?? {}).flatMap(([name, { byDays }]) => (byDays ? [name] : []));
    expect(read.length).toBeGreaterThan(2);
    const collections = [...read, ...beside].sort();
    if (provider === 'withings') await appOf(provider);
    const { body: user } = await api.call('POST', '/v1/users', { key, body: { externalId: `user-of-${provider}` } });
    const session = await api.call('POST', '/v1/connect-sessions', { key, body: { userId: user.id, provider } });
    const authorize = new URL(session.body.authorizeUrl);
    authorize.searchParams.set('person', ada);
    const back = new URL((await providers.call('GET', authorize.pathname + authorize.search)).headers.get('location') ?? '');
    const page = await api.call('GET', back.pathname + back.search);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Connected')]);
    const [connection] = await api.rows<{ id: string; subject_id: string }>(
      'select id, subject_id from connection where tenant_id = $1 and provider = $2',
      [scope.tenantId, provider],
    );
    expect(connection?.subject_id).toBe(ada);
    const windows = await api.rows<{ collection: string }>('select distinct collection from fetch_window where connection_id = $1', [
      connection?.id,
    ]);
    expect(windows.map(({ collection }) => collection).sort()).toEqual(collections);
  });
});
