import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type StandInOura, startStandInOura } from '../../testing/stand-in-oura.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const keys = new KeyRing(TEST_KEYS);

describe('provider apps', () => {
  let api: RunningApi;
  let oura: StandInOura;
  let scope: SeededEnvironment;
  let key: string;

  beforeAll(async () => {
    oura = await startStandInOura({ id: 'client-1', secret: 'secret-1' });
    api = await startApi(keys, { TRIBUTARY_SANDBOX_URL: oura.url });
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
  });
  afterAll(async () => {
    await api.stop();
    await oura.stop();
  });

  const create = (body: object = {}, who = key) =>
    api.call('POST', '/v1/provider-apps', {
      key: who,
      body: { provider: 'oura', clientId: 'client-1', clientSecret: 'secret-1', sandbox: true, ...body },
    });
  const secrets = (appId: string) =>
    api.rows<{ id: string; purpose: string; sealed: Buffer; live: boolean; ends: number | null }>(
      `select id, purpose, sealed, retires_at is null or retires_at > now() as live, extract(epoch from retires_at - now())::float8 as ends
     from provider_app_secret where provider_app_id = $1 order by created_at, id`,
      [appId],
    );

  it('an app tells what to register at the provider, shows its token once and seals its secrets', async () => {
    const { status, body } = await create({ toleranceS: 60 });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^app_/),
      provider: 'oura',
      appKey: expect.stringMatching(/^[\w-]{24}$/),
      clientId: 'client-1',
      sandbox: true,
      toleranceS: 60,
      acceptsCarried: false,
      state: 'pending',
      webhookUrl: `http://hooks.example/in/oura/${body.appKey}`,
      redirectUri: 'http://api.example/connect/callback',
      handshakenAt: null,
      createdAt: expect.any(String),
      verificationToken: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { verificationToken, ...shown } = body;
    expect((await api.call('GET', `/v1/provider-apps/${body.id}`, { key })).body).toEqual(shown);
    expect((await api.call('GET', '/v1/provider-apps', { key })).body.data).toContainEqual(shown);
    const opened = (await secrets(body.id)).map((row) => [row.purpose, keys.open(row.sealed, `provider_app_secret:${row.id}`)]);
    expect(Object.fromEntries(opened)).toEqual({ client_secret: 'secret-1', verification_token: verificationToken });
    expect(await api.rows('select tolerance_ms from provider_app where id = $1', [body.id])).toEqual([{ tolerance_ms: 60_000 }]);
  });

  it('an unknown provider, and a sandbox in live, are refused by field', async () => {
    const unknown = await create({ provider: 'nobody' });
    expect([unknown.status, unknown.body.faults]).toEqual([422, [{ path: 'provider', message: expect.stringContaining('oura') }]]);
    const live = await api.key(await api.seed.environment({ tenantId: scope.tenantId, environment: 'live' }));
    const refused = await create({}, live.key);
    expect([refused.status, refused.body.faults[0].path]).toEqual([422, 'sandbox']);
  });

  it('a rotated secret is live at once, and the old one until the overlap ends', async () => {
    const { body: app } = await create();
    const rotate = (value: string, overlapS: number) =>
      api.call('POST', `/v1/provider-apps/${app.id}/secrets`, { key, body: { purpose: 'client_secret', value, overlapS } });
    expect((await rotate('secret-2', 3_600)).body).toEqual({ id: expect.stringMatching(/^sec_/), retiring: 1 });
    const after = (await secrets(app.id)).filter((row) => row.purpose === 'client_secret');
    expect(after.map((row) => [keys.open(row.sealed, `provider_app_secret:${row.id}`), row.live])).toEqual([
      ['secret-1', true],
      ['secret-2', true],
    ]);
    expect(after[0]?.ends).toBeGreaterThan(3_590);
    await rotate('secret-3', 0);
    const last = (await secrets(app.id)).filter((row) => row.purpose === 'client_secret');
    expect(last.map((row) => row.live)).toEqual([false, false, true]);
    expect((await secrets(app.id)).find((row) => row.purpose === 'verification_token')?.live).toBe(true);
    // An end that comes sooner is not put off by a later rotation.
    await rotate('secret-4', 604_800);
    expect((await secrets(app.id)).filter((row) => row.live && row.purpose === 'client_secret')).toHaveLength(2);
    for (const overlapS of [-1, 604_801, 1.5]) expect((await rotate('secret-5', overlapS)).status).toBe(422);
  });

  it('subscriptions are made for every type at our address, and again only when they are missing', async () => {
    const { body: app } = await create();
    const ensure = () => api.call('POST', `/v1/provider-apps/${app.id}/subscriptions`, { key });
    expect((await ensure()).body).toEqual({ created: 6, renewed: 0, present: 0 });
    expect(new Set(oura.subscriptions.map((one) => one['callback_url']))).toEqual(new Set([app.webhookUrl]));
    expect(oura.subscriptions[0]).toMatchObject({ verification_token: app.verificationToken });
    expect((await ensure()).body).toEqual({ created: 0, renewed: 0, present: 6 });
    const refused = await create({ clientSecret: 'wrong' });
    const reply = await api.call('POST', `/v1/provider-apps/${refused.body.id}/subscriptions`, { key });
    expect([reply.status, reply.body.code]).toEqual([502, 'provider_refused']);
    oura.failWith = 500;
    expect((await ensure()).body.code).toBe('provider_unavailable');
    oura.failWith = undefined;
  });

  it('a webhook secret is sealed and rotated beside the client secret, and one of the two is needed', async () => {
    const { body: app } = await create({ clientSecret: undefined, webhookSecret: 'whsec_1', acceptsCarried: true });
    expect(app).toMatchObject({ acceptsCarried: true, clientId: 'client-1' });
    await api.call('POST', `/v1/provider-apps/${app.id}/secrets`, {
      key,
      body: { purpose: 'webhook_secret', value: 'whsec_2', overlapS: 0 },
    });
    const rows = await secrets(app.id);
    expect(
      rows
        .filter((row) => row.purpose !== 'verification_token')
        .map((row) => [row.purpose, keys.open(row.sealed, `provider_app_secret:${row.id}`), row.live]),
    ).toEqual([
      ['webhook_secret', 'whsec_1', false],
      ['webhook_secret', 'whsec_2', true],
    ]);
    const neither = await create({ clientSecret: undefined });
    expect([neither.status, neither.body.faults]).toEqual([
      422,
      [{ path: 'clientSecret', message: expect.stringContaining('webhookSecret') }],
    ]);
  });

  it('every change leaves one line in the audit log', async () => {
    const counted = await api.rows<{ action: string; n: number }>(
      'select action, count(*)::int as n from audit_log where tenant_id = $1 group by 1 order by 1',
      [scope.tenantId],
    );
    expect(counted).toEqual([
      { action: 'provider_app.add_secret', n: 4 },
      { action: 'provider_app.create', n: 5 },
      { action: 'provider_app.ensure_subscriptions', n: 2 },
    ]);
  });
});
