import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type StandInOura, startStandInOura } from '../../testing/stand-in-oura.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const keys = new KeyRing(TEST_KEYS);

describe('care of provider apps', () => {
  let api: RunningApi;
  let oura: StandInOura;
  let scope: SeededEnvironment;
  let key: string;
  let id: string;

  beforeAll(async () => {
    oura = await startStandInOura({ id: 'client-1', secret: 'secret-1' });
    api = await startApi(keys, { TRIBUTARY_SANDBOX_URL: oura.url });
  });
  afterAll(async () => {
    await api.stop();
    await oura.stop();
  });
  beforeEach(async () => {
    oura.failWith = undefined;
    scope = await api.seed.environment();
    ({ key } = await api.key(scope));
    ({ id } = await create());
  });

  const create = async (body: object = {}) =>
    (
      await api.call('POST', '/v1/provider-apps', {
        key,
        body: { provider: 'oura', clientId: 'client-1', clientSecret: 'secret-1', sandbox: true, ...body },
      })
    ).body;
  const app = async () =>
    (
      await api.rows<Record<string, unknown>>('select state, tolerance_ms, accepts_carried, client_id from provider_app where id = $1', [
        id,
      ])
    )[0];
  const patch = (body: object) => api.call('PATCH', `/v1/provider-apps/${id}`, { key, body });
  const actions = async () =>
    (
      await api.rows<{ action: string }>('select action from audit_log where tenant_id = $1 and target = $2 order by at, id', [
        scope.tenantId,
        id,
      ])
    ).map(({ action }) => action);

  it('what is said changes and the rest stays; an app that was disabled comes back as it was proved', async () => {
    expect((await patch({ toleranceS: 60 })).body).toMatchObject({ id, toleranceS: 60, state: 'pending', acceptsCarried: false });
    expect((await patch({ acceptsCarried: true, disabled: true })).body).toMatchObject({ state: 'disabled', acceptsCarried: true });
    expect(await app()).toEqual({ state: 'disabled', tolerance_ms: 60_000, accepts_carried: true, client_id: 'client-1' });
    const session = await api.call('POST', '/v1/connect-sessions', { key, body: { user: { externalId: 'e' }, provider: 'oura' } });
    expect([session.status, session.body.faults[0].path]).toEqual([422, 'provider']);
    expect((await patch({ disabled: false })).body.state).toBe('pending');
    await api.db.pool.query('update provider_app set handshaken_at = now() where id = $1', [id]);
    await patch({ disabled: true });
    expect((await patch({ disabled: false })).body.state).toBe('active');
    for (const body of [{}, { clientId: 'x' }, { toleranceS: -1 }, { disabled: 'yes' }]) {
      expect([body, (await patch(body)).status]).toEqual([body, 422]);
    }
    expect(await actions()).toEqual(['provider_app.create', ...Array.from({ length: 5 }, () => 'provider_app.update')]);
  });

  it('secrets are listed with their ends, and never shown', async () => {
    await api.call('POST', `/v1/provider-apps/${id}/secrets`, {
      key,
      body: { purpose: 'client_secret', value: 'secret-2', overlapS: 3_600 },
    });
    await api.call('POST', `/v1/provider-apps/${id}/secrets`, { key, body: { purpose: 'client_secret', value: 'secret-3', overlapS: 0 } });
    const { body } = await api.call('GET', `/v1/provider-apps/${id}/secrets`, { key });
    expect(
      body.data.map((one: { purpose: string; live: boolean; retiresAt: string | null }) => [one.purpose, one.live, one.retiresAt]),
    ).toEqual([['client_secret', true, null], ['client_secret', false, expect.any(String)], ...expectInAnyOrder(body.data.slice(2))]);
    expect(body.data).toHaveLength(4);
    expect(Object.keys(body.data[0]).sort()).toEqual(['createdAt', 'id', 'live', 'purpose', 'retiresAt']);
    expect(JSON.stringify(body)).not.toMatch(/secret-\d/);
  });

  it('a test tells in words what is wrong with the credentials, and changes nothing', async () => {
    const check = async (of = id) => {
      const { status, body } = await api.call('POST', `/v1/provider-apps/${of}/test`, { key });
      expect(status).toBe(200);
      const found = (name: string) => body.checks.find((one: { name: string }) => one.name === name);
      return { ok: body.ok, found };
    };
    const before = await api.rows('select a::text from provider_app a where tenant_id = $1', [scope.tenantId]);
    const good = await check();
    expect([good.ok, good.found('credentials')]).toEqual([
      true,
      { name: 'credentials', result: 'ok', detail: expect.stringContaining('takes the client id') },
    ]);
    expect(good.found('handshake')).toMatchObject({ result: 'pending', detail: expect.stringContaining('http://hooks.example/in/oura/') });
    expect(oura.tokenCalls.at(-1)).toMatchObject({ grant_type: 'authorization_code', client_id: 'client-1', client_secret: 'secret-1' });
    const wrong = await create({ clientSecret: 'wrong' });
    const refused = await check(wrong.id);
    expect([refused.ok, refused.found('credentials')]).toEqual([
      false,
      {
        name: 'credentials',
        result: 'failed',
        detail: expect.stringMatching(/refuses \(token_http_401\)\. Compare the client id "client-1"/),
      },
    ]);
    oura.failWith = 503;
    expect((await check()).found('credentials')).toMatchObject({ result: 'failed', detail: expect.stringContaining('token_http_503') });
    oura.failWith = undefined;
    await patch({ disabled: true });
    expect((await check()).found('enabled')).toMatchObject({ result: 'failed' });
    await patch({ disabled: false });
    const none = await create({ clientSecret: undefined, webhookSecret: 'hook' });
    expect((await check(none.id)).found('credentials')).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining('no live client secret'),
    });
    const sender = await create({ provider: 'standard-webhooks', clientSecret: undefined, webhookSecret: `whsec_${'A'.repeat(32)}` });
    expect((await check(sender.id)).found('credentials')).toMatchObject({ result: 'skipped' });
    expect(
      await api.rows('select a::text from provider_app a where tenant_id = $1 and id <> all ($2)', [
        scope.tenantId,
        [wrong.id, none.id, sender.id, id],
      ]),
    ).toEqual([]);
    expect(before).toHaveLength(1);
  });

  it('an app goes with its secrets and begun consents, but not while somebody is connected through it', async () => {
    await api.call('POST', '/v1/connect-sessions', { key, body: { user: { externalId: 'e' }, provider: 'oura' } });
    const user = await api.seed.user(scope);
    await api.db.pool.query(
      `insert into connection (tenant_id, environment, id, user_id, provider, provider_app_id, subject_id, status)
       values ($1, 'test', 'con_1', $2, 'oura', $3, 's', 'disconnected')`,
      [scope.tenantId, user.id, id],
    );
    const gone = () => api.call('DELETE', `/v1/provider-apps/${id}`, { key });
    const refused = await gone();
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([409, 'conflict', expect.stringContaining('1 connections')]);
    expect(await app()).toBeDefined();
    await api.db.pool.query(`delete from connection where tenant_id = $1`, [scope.tenantId]);
    expect((await gone()).status).toBe(204);
    for (const table of ['provider_app', 'provider_app_secret', 'connect_session', 'subscription_upkeep']) {
      expect([table, await api.rows(`select 1 from ${table} where tenant_id = $1`, [scope.tenantId])]).toEqual([table, []]);
    }
    expect((await gone()).status).toBe(404);
    expect(await actions()).toEqual(['provider_app.create', 'provider_app.delete']);
  });

  it('nobody else sees or changes an app', async () => {
    const stranger = await api.key(await api.seed.environment());
    const before = await app();
    for (const [method, path, body] of [
      ['PATCH', '', { disabled: true }],
      ['DELETE', ''],
      ['GET', '/secrets'],
      ['POST', '/test'],
    ] as const) {
      const reply = await api.call(method, `/v1/provider-apps/${id}${path}`, { key: stranger.key, ...(body && { body }) });
      expect([method, path, reply.status]).toEqual([method, path, 404]);
    }
    expect(await app()).toEqual(before);
  });
});

/** Rows of one moment have no order. */
function expectInAnyOrder(rows: readonly { readonly purpose: string }[]): unknown[][] {
  expect(rows.map(({ purpose }) => purpose).sort()).toEqual(['client_secret', 'verification_token']);
  return rows.map(({ purpose }) => [
    purpose,
    purpose === 'verification_token',
    purpose === 'verification_token' ? null : expect.any(String),
  ]);
}
