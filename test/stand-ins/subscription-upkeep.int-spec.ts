// doubles: none but the providers: the sandbox over real HTTP, which proves our address at the ingest that runs in production.
// oracles: what the stand-ins hold, rows, and a webhook that arrives.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderUnreachable } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { type RunningIngest, startIngest } from '../../apps/ingest/testing/start-ingest.js';
import { checkSubscriptions } from '../../apps/worker/src/subscription-upkeep.js';
import type { WorkerContext } from '../../apps/worker/src/worker-context.js';
import { type Person, Workbench } from '../../apps/worker/testing/workbench.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const day = 86_400_000;
const start = Date.now();
let now = start;
let bench: Workbench;
let providers: ProviderServer;
let ingest: RunningIngest;
let context: WorkerContext;
beforeAll(async () => {
  [bench, providers] = await Promise.all([Workbench.open(), startProviders(() => now)]);
  ingest = await startIngest(bench.db.url, { TRIBUTARY_SANDBOX_URL: providers.url });
  context = bench.contextWith({
    sandboxUrl: providers.url,
    publicIngestUrl: ingest.origin,
    clock: () => now,
    http: createProviderHttp({
      allowedOrigins: new Set([providers.url]),
      deadlineMs: 2_000,
      maxReplyBytes: 1_000_000,
      unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
    }),
  });
});
afterAll(async () => {
  await ingest.close();
  await providers.stop();
  await bench.close();
});
beforeEach(() => {
  now = start;
});

const subjectId = '38291047';

/** An app at both ends, with one person whose sweep is hours away, and its upkeep begun. */
async function appOf(provider: string, more: object = {}, clientId?: string) {
  const control = providers.controlOf(provider);
  await control('DELETE', '/');
  const scope = await bench.seed.environment();
  const app = await bench.seed.app(scope, { provider, state: 'pending', ...(clientId !== undefined && { clientId }) });
  const client = { clientId: app.clientId, clientSecret: app.clientSecret };
  await control('POST', '/apps', { ...client, redirectUris: ['http://127.0.0.1:9/back'], ...more });
  await control('POST', '/people', { subjectId });
  await control('POST', `/people/${subjectId}/grants`, { clientId: app.clientId });
  const user = await bench.seed.user(scope);
  const connection = await bench.seed.connection(app, user, { subjectId });
  const person: Person = { scope, app, user, connection, endpoint: await bench.seed.endpoint(scope) };
  await bench.db.pool.query('delete from subscription_upkeep');
  await bench.db.pool.query(
    'insert into subscription_upkeep (tenant_id, environment, provider_app_id, next_check_at) values ($1, $2, $3, now())',
    [scope.tenantId, scope.environment, app.id],
  );
  const one = async (text: string) => (await bench.rows(text, person))[0];
  return {
    person,
    client,
    control,
    callbackUrl: `${ingest.origin}/in/${provider}/${app.appKey}`,
    async check() {
      await bench.db.pool.query(`update connection set next_sweep_at = now() + interval '6 hours' where id = $1`, [connection.id]);
      await bench.db.pool.query('update subscription_upkeep set next_check_at = now()');
      expect(await checkSubscriptions(context)).toBe(1);
      return one('select last_error, expires_at, attempts from subscription_upkeep where tenant_id = $1');
    },
    state: async () => (await one('select state from provider_app where tenant_id = $1'))?.['state'],
    sweptSoon: async () =>
      (await one(`select next_sweep_at < now() + interval '61 minutes' as soon from connection where tenant_id = $1`))?.['soon'],
    notices: async () =>
      (await bench.rows('select collection from webhook_notice where tenant_id = $1 order by 1', person)).map((row) => row['collection']),
  };
}

describe('the upkeep of subscriptions at Oura', () => {
  const ttlS = (90 * day) / 1000;
  const held = async (control: ProviderServer['control']) =>
    (await control<{ subscriptions: { callbackUrl: string; expiresAt: number }[] }>('GET', '/subscriptions')).subscriptions;

  it('C017: makes them, leaves them alone, renews them before they end, and makes them anew when they ended all the same', async () => {
    const { control, check, callbackUrl, state, sweptSoon } = await appOf('oura', { subscriptionTtlS: ttlS });
    expect(await check()).toMatchObject({ last_error: null, expires_at: new Date(start + 90 * day) });
    const made = await held(control);
    expect(new Set(made.map((one) => one.callbackUrl))).toEqual(new Set([callbackUrl]));
    expect(await state()).toBe('active');
    expect(await sweptSoon()).toBe(false);

    now = start + 70 * day;
    await check();
    expect(await held(control)).toEqual(made);
    now = start + 77 * day;
    expect(await check()).toMatchObject({ last_error: null, expires_at: new Date(now + 90 * day) });
    expect((await held(control)).map(({ expiresAt }) => expiresAt)).toEqual(made.map(() => now + 90 * day));
    expect(await sweptSoon()).toBe(false);

    now += 91 * day;
    expect(await held(control)).toEqual([]);
    expect(await check()).toMatchObject({ last_error: null, expires_at: new Date(now + 90 * day) });
    expect(await held(control)).toHaveLength(made.length);
    expect(await sweptSoon()).toBe(true);
  });

  it('tells that it may not, and comes back, where the secret of the app is wrong', async () => {
    const { check, control, client } = await appOf('oura');
    await control('POST', `/apps/${client.clientId}/rotate-secret`, { clientSecret: 'another', retireOld: true });
    expect(await check()).toMatchObject({ last_error: 'subscription_list_http_401', attempts: 1 });
    expect(await check()).toMatchObject({ last_error: 'subscription_list_http_401', attempts: 2 });
  });
});

describe('the upkeep of the webhook at Polar', () => {
  const about = { subjectId, event: 'SLEEP', about: '2026-09-15' };

  it('keeps the key of one that it made, switches it on when Polar switched it off, and makes it anew when it is gone', async () => {
    const { control, check, client, notices, sweptSoon } = await appOf('polar');
    /** Ingest holds an app for a second: a new key is live by then, and Polar repeats what was refused before. */
    const arrives = async () => {
      for (let tries = 0; tries < 100; tries += 1) {
        now += 1_000;
        const { deliveries } = await control<{ deliveries: { status: number }[] }>('POST', '/webhooks', { ...about, wait: true });
        if (deliveries.some(({ status }) => status === 200)) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return notices();
    };
    expect(await check()).toMatchObject({ last_error: null });
    const once = (await arrives()).length;
    expect(once).toBeGreaterThan(0);

    await control('PUT', `/apps/${client.clientId}/webhook`, { active: false });
    expect(await check()).toMatchObject({ last_error: null });
    expect(await sweptSoon()).toBe(true);
    expect(await arrives()).toHaveLength(2 * once);

    // Somebody removed it: the one that is made has another key, which is live within a second.
    const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
    const call = (method: string, path: string) =>
      providers.call<{ data: { id: string }[] }>(method, `/polar/v3/webhooks${path}`, undefined, { authorization: `Basic ${basic}` });
    const [webhook] = (await call('GET', '')).body.data;
    expect((await call('DELETE', `/${webhook?.id}`)).status).toBe(204);
    expect(await check()).toMatchObject({ last_error: null });
    expect(await arrives()).toHaveLength(3 * once);
  });
});

describe('the upkeep of a person’s subscriptions at Withings', () => {
  it('C017: asks with each sweep for those that Withings has dropped, with that person’s token', async () => {
    const { control, person, callbackUrl } = await appOf('withings');
    const { accessToken, refreshToken, scopes } = await control<{ accessToken: string; refreshToken: string; scopes: string[] }>(
      'POST',
      `/people/${subjectId}/grants`,
      { clientId: person.app.clientId },
    );
    const sealed = (text: string, as: string) => bench.keys.seal(text, `connection:${person.connection.id}:${as}`);
    await bench.db.pool.query('update connection set access_token = $2, refresh_token = $3, scopes = $4 where id = $1', [
      person.connection.id,
      sealed(accessToken, 'access'),
      sealed(refreshToken, 'refresh'),
      scopes,
    ]);
    const held = async () =>
      (await control<{ subscriptions: { appli: string; callbackUrl: string }[] }>('GET', '/subscriptions')).subscriptions;
    const sweep = async (day: number) => {
      await bench.window(person, { collection: 'grant', from: `2026-11-0${day}`, to: '2026-11-30', priority: 2 });
      await bench.fetch(person, context);
    };
    await sweep(1);
    const made = await held();
    expect(new Set(made.map((one) => one.callbackUrl))).toEqual(new Set([callbackUrl]));
    expect(made.length).toBeGreaterThan(3);
    const dropped = made[0]?.appli ?? '';
    const form = new URLSearchParams({ action: 'revoke', callbackurl: callbackUrl, appli: dropped });
    await providers.call('POST', '/withings/notify', form, { authorization: `Bearer ${accessToken}` });
    expect(await held()).toHaveLength(made.length - 1);
    await sweep(2);
    expect((await held()).map(({ appli }) => appli).sort()).toEqual(made.map(({ appli }) => appli).sort());
    expect(await bench.letters(person)).toEqual([]);
  });
});

describe('the upkeep of the subscriber at Google', () => {
  const secret = 'Bearer secret-of-the-subscriber';
  const about = { subjectId, collection: 'steps', endTime: '2026-09-20T00:00:00Z' };

  it('is made and proved by the service account, switched on when Google switched it off, and tells of people all the while', async () => {
    const { control, check, client, person, notices, state, sweptSoon } = await appOf(
      'google',
      {},
      '903312447-app.apps.googleusercontent.com',
    );
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const key = JSON.stringify({ client_email: 'hooks@us.example', private_key: privateKey });
    expect(await check()).toMatchObject({ last_error: 'subscription_no_service_account' });
    await bench.seed.appSecret(person.app, { purpose: 'service_account', value: key });
    expect(await check()).toMatchObject({ last_error: 'subscription_no_webhook_secret' });
    await bench.seed.appSecret(person.app, { purpose: 'webhook_secret', value: secret });
    expect(await check()).toMatchObject({ last_error: 'subscription_token_http_400' });
    await control('PUT', `/apps/${client.clientId}/service-account`, { clientEmail: 'hooks@us.example', publicKey });

    expect(await check()).toMatchObject({ last_error: null });
    expect(await state()).toBe('active');
    const arrives = async (startTime: string) => {
      now += 1_000;
      await control('POST', '/webhooks', { ...about, startTime, wait: true });
      return notices();
    };
    expect(await arrives('2026-09-14T00:00:00Z')).toEqual(['steps']);
    await control('PUT', `/apps/${client.clientId}/subscriber-state`, { state: 'INACTIVE' });
    expect(await check()).toMatchObject({ last_error: null });
    expect(await sweptSoon()).toBe(true);
    expect(await check()).toMatchObject({ last_error: null });
    expect(await sweptSoon()).toBe(false);
    expect(await arrives('2026-09-15T00:00:00Z')).toEqual(['steps', 'steps']);
  });
});

describe('the upkeep of the subscription at Strava', () => {
  it('makes the one that is missing, and leaves alone what somebody led elsewhere', async () => {
    const { control, check, client, callbackUrl } = await appOf('strava');
    const held = async () => (await control<{ subscriptions: { callbackUrl: string }[] }>('GET', '/subscriptions')).subscriptions;
    expect(await check()).toMatchObject({ last_error: null });
    const [ours] = (await held()) as [{ id: string; callbackUrl: string }];
    expect(ours.callbackUrl).toBe(callbackUrl);

    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const path = '/strava/api/v3/push_subscriptions';
    await providers.call('DELETE', `${path}/${ours.id}?${new URLSearchParams(credentials)}`);
    const other = await bench.seed.app(await bench.seed.environment(), { provider: 'strava' });
    const elsewhere = `${ingest.origin}/in/strava/${other.appKey}`;
    const form = new URLSearchParams({ ...credentials, callback_url: elsewhere, verify_token: other.verificationToken });
    expect((await providers.call('POST', path, form)).status).toBe(201);
    expect(await check()).toMatchObject({ last_error: 'subscription_elsewhere', attempts: 1 });
    expect((await held()).map((one) => one.callbackUrl)).toEqual([elsewhere]);
  });
});
