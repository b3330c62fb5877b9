import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { findAppByKey, startUpkeep } from '@tributary/storage';
import { announcedCollections } from '../../../../packages/providers/src/oura/collections.js';
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

  const unchecked = (keptBy: string) => ({
    keptBy,
    state: keptBy === 'tributary' ? 'not_started' : null,
    lastCheckedAt: null,
    lastKeptAt: null,
    lastError: null,
    expiresAt: null,
    nextCheckAt: null,
  });
  const subscriptionsOf = async (id: string) => (await api.call('GET', `/v1/provider-apps/${id}`, { key })).body.subscriptions;

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
      subscriptions: unchecked('tributary'),
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
    const all = announcedCollections.length * 3;
    const ensure = () => api.call('POST', `/v1/provider-apps/${app.id}/subscriptions`, { key });
    expect((await ensure()).body).toEqual({ created: all, renewed: 0, present: 0 });
    expect(new Set(oura.subscriptions.map((one) => one['callback_url']))).toEqual(new Set([app.webhookUrl]));
    expect(oura.subscriptions[0]).toMatchObject({ verification_token: app.verificationToken });
    expect((await ensure()).body).toEqual({ created: 0, renewed: 0, present: all });
    const refused = await create({ clientSecret: 'wrong' });
    const reply = await api.call('POST', `/v1/provider-apps/${refused.body.id}/subscriptions`, { key });
    expect([reply.status, reply.body.code]).toEqual([502, 'provider_refused']);
    oura.failWith = 500;
    expect((await ensure()).body.code).toBe('provider_unavailable');
    oura.failWith = undefined;
  });

  it('asking for subscriptions begins their upkeep: the app shows what was found, when, until when, and what failed', async () => {
    const { body: app } = await create();
    const ensure = () => api.call('POST', `/v1/provider-apps/${app.id}/subscriptions`, { key });
    const dueS = async () =>
      (
        await api.rows<{ s: number }>(
          'select extract(epoch from next_check_at - now())::float8 as s from subscription_upkeep where provider_app_id = $1',
          [app.id],
        )
      )[0]?.s ?? 0;
    oura.subscriptions.splice(0);
    oura.failWith = 503;
    await ensure();
    oura.failWith = undefined;
    expect(await subscriptionsOf(app.id)).toEqual({
      ...unchecked('tributary'),
      state: 'failing',
      lastCheckedAt: expect.any(String),
      lastError: 'subscription_list_http_503',
      nextCheckAt: expect.any(String),
    });
    expect(Math.abs((await dueS()) - 60)).toBeLessThan(10);
    await ensure();
    const kept = await subscriptionsOf(app.id);
    expect(kept).toMatchObject({ state: 'kept', lastError: null, expiresAt: '2099-01-01T00:00:00.000Z', lastKeptAt: kept.lastCheckedAt });
    expect(Math.abs((await dueS()) - 86_400)).toBeLessThan(10);
    expect((await api.call('GET', '/v1/provider-apps', { key })).body.data).toContainEqual(
      expect.objectContaining({ subscriptions: kept }),
    );
  });

  it('asking while they are being looked at is a conflict, and nothing is asked of the provider', async () => {
    const { body: app } = await create();
    expect(await startUpkeep(api.db.pool, scope, app.id, 60_000)).toBeDefined();
    oura.failWith = 500;
    const { status, body } = await api.call('POST', `/v1/provider-apps/${app.id}/subscriptions`, { key });
    oura.failWith = undefined;
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  it.each([
    ['withings', 'person'],
    ['whoop', 'operator'],
    ['google', 'operator'],
    ['standard-webhooks', 'operator'],
  ])('of %s they are kept by the %s, and there is nothing to check for the app', async (provider, keptBy) => {
    const { body: app } = await create({ provider, webhookSecret: `whsec_${'A'.repeat(32)}` });
    expect(app.subscriptions).toEqual(unchecked(keptBy));
    const asked = await api.call('POST', `/v1/provider-apps/${app.id}/subscriptions`, { key });
    // Google's wants a key that this app was not given, and of a source that only sends nothing can be asked.
    expect(asked.status).toBe(provider === 'standard-webhooks' || provider === 'google' ? 409 : 200);
    expect(await subscriptionsOf(app.id)).toEqual(unchecked(keptBy));
    expect(await api.rows('select 1 from subscription_upkeep where provider_app_id = $1', [app.id])).toEqual([]);
  });

  it('the key of a service account is refused unless it can sign, kept sealed, and never shown to ingest', async () => {
    const { body: app } = await create({ provider: 'google', clientId: '903312447-x.apps', webhookSecret: 'Bearer secret' });
    const add = (value: string) =>
      api.call('POST', `/v1/provider-apps/${app.id}/secrets`, { key, body: { purpose: 'service_account', value, overlapS: 0 } });
    const refused = await add('{"client_email":"hooks@us.example"}');
    expect([refused.status, refused.body.faults[0].path]).toEqual([422, 'value']);
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const account = JSON.stringify({ client_email: 'hooks@us.example', private_key: privateKey });
    expect((await add(account)).status).toBe(201);
    const [row] = (await secrets(app.id)).filter(({ purpose }) => purpose === 'service_account');
    expect(keys.open(row?.sealed as Buffer, `provider_app_secret:${row?.id}`)).toBe(account);
    expect((await findAppByKey(api.db.pool, app.appKey))?.secrets.map(({ purpose }) => purpose).sort()).toEqual([
      'client_secret',
      'verification_token',
      'webhook_secret',
    ]);
  });

  const X = Buffer.alloc(24, 1).toString('base64');
  it.each([
    ['a version before it', `v1,whsec_${X}`],
    ['a line break after it', `whsec_${X}\n`],
    ['a space before it', ` whsec_${X}`],
    ['no padding', `whsec_${Buffer.alloc(25, 1).toString('base64').replace(/=+$/, '')}`],
    ['the alphabet of URLs', `whsec_${Buffer.alloc(24, 255).toString('base64url')}`],
    ['nothing after it', 'whsec_'],
    ['a part cut off', `whsec_${X.slice(0, -3)}`],
  ])('C099: a whsec_ secret with %s is refused when it is given, by its field, and is nowhere repeated', async (_what, secret) => {
    const wish = { provider: 'standard-webhooks', clientSecret: undefined };
    const made = await create({ ...wish, webhookSecret: secret });
    expect([made.status, made.body.code, made.body.faults]).toEqual([
      422,
      'validation_failed',
      [{ path: 'webhookSecret', message: expect.stringContaining('whsec_') }],
    ]);
    const { body: app } = await create({ ...wish, webhookSecret: `whsec_${X}` });
    const added = await api.call('POST', `/v1/provider-apps/${app.id}/secrets`, {
      key,
      body: { purpose: 'webhook_secret', value: secret, overlapS: 0 },
    });
    expect([added.status, added.body.code, added.body.faults.map(({ path }: { path: string }) => path)]).toEqual([
      422,
      'validation_failed',
      ['value'],
    ]);
    for (const { body } of [made, added]) expect(JSON.stringify(body)).not.toContain(X.slice(0, 20));
    expect((await secrets(app.id)).filter(({ purpose }) => purpose === 'webhook_secret')).toHaveLength(1);
  });

  it('base64 without whsec_ is a secret of Standard Webhooks too, and any text is one elsewhere', async () => {
    expect((await create({ provider: 'standard-webhooks', webhookSecret: X })).status).toBe(201);
    expect((await create({ provider: 'standard-webhooks', webhookSecret: 'not base64' })).status).toBe(422);
    expect((await create({ provider: 'google', webhookSecret: 'Bearer not base64' })).status).toBe(201);
    expect((await create({ provider: 'google', webhookSecret: 'Bearer whsec_' })).body.faults[0].path).toBe('webhookSecret');
  });

  const whsec = (n: number) => `whsec_${Buffer.alloc(24, n).toString('base64')}`;
  it('a webhook secret is sealed and rotated beside the client secret, and one of the two is needed', async () => {
    const { body: app } = await create({ clientSecret: undefined, webhookSecret: whsec(1), acceptsCarried: true });
    expect(app).toMatchObject({ acceptsCarried: true, clientId: 'client-1' });
    await api.call('POST', `/v1/provider-apps/${app.id}/secrets`, {
      key,
      body: { purpose: 'webhook_secret', value: whsec(2), overlapS: 0 },
    });
    const rows = await secrets(app.id);
    expect(
      rows
        .filter((row) => row.purpose !== 'verification_token')
        .map((row) => [row.purpose, keys.open(row.sealed, `provider_app_secret:${row.id}`), row.live]),
    ).toEqual([
      ['webhook_secret', whsec(1), false],
      ['webhook_secret', whsec(2), true],
    ]);
    const neither = await create({ clientSecret: undefined });
    expect([neither.status, neither.body.faults]).toEqual([
      422,
      [{ path: 'clientSecret', message: expect.stringContaining('webhookSecret') }],
    ]);
  });

  it('every change leaves one line in the audit log', async () => {
    oura.subscriptions.splice(0);
    const own = await api.seed.environment();
    const { key: mine } = await api.key(own);
    const { body: app } = await create({}, mine);
    await create({ provider: 'nobody' }, mine);
    const body = { purpose: 'client_secret', value: 'next', overlapS: 0 };
    await api.call('POST', `/v1/provider-apps/${app.id}/secrets`, { key: mine, body });
    await api.call('POST', `/v1/provider-apps/${app.id}/secrets`, { key: mine, body: { ...body, value: 'whsec_' } });
    oura.failWith = 500;
    await api.call('POST', `/v1/provider-apps/${app.id}/subscriptions`, { key: mine });
    oura.failWith = undefined;
    oura.subscriptions.splice(0);
    const { body: good } = await create({}, mine);
    await api.call('POST', `/v1/provider-apps/${good.id}/subscriptions`, { key: mine });
    const counted = await api.rows<{ action: string; n: number }>(
      'select action, count(*)::int as n from audit_log where tenant_id = $1 group by 1 order by 1',
      [own.tenantId],
    );
    expect(counted).toEqual([
      { action: 'provider_app.add_secret', n: 1 },
      { action: 'provider_app.create', n: 2 },
      { action: 'provider_app.ensure_subscriptions', n: 1 },
    ]);
  });
});
