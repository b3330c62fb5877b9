import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addDays } from '@tributary/domain';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../testing/start-api.js';
import { type StandInOura, startStandInOura } from '../../testing/stand-in-oura.js';
import { type SeededEnvironment, TEST_KEYS } from '../../../../packages/storage/testing/seed.js';

const keys = new KeyRing(TEST_KEYS);

interface ConnectionRow {
  id: string;
  status: string;
  subject_id: string;
  scopes: string[];
  access_token: Buffer | null;
  refresh_token: Buffer | null;
  token_expires_at: Date | null;
  next_sweep_at: Date | null;
}

describe('connecting', () => {
  let api: RunningApi;
  let oura: StandInOura;
  let scope: SeededEnvironment;
  let key: string;
  let appId: string;
  let userId: string;

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
    const made = await api.call('POST', '/v1/provider-apps', {
      key,
      body: { provider: 'oura', clientId: 'client-1', clientSecret: 'secret-1', sandbox: true },
    });
    appId = made.body.id;
    userId = (await api.call('POST', '/v1/users', { key, body: { externalId: `ext-${randomUUID()}` } })).body.id;
    const allowed = await api.call('PUT', '/v1/connect-settings', { key, body: { returnUrls: ['https://customer.example/done?keep=1'] } });
    expect(allowed.status).toBe(200);
  });

  /** Up to the point where the person was sent to the provider. */
  async function begin(returnUrl?: string): Promise<string> {
    const { status, body } = await api.call('POST', '/v1/connect-sessions', {
      key,
      body: { userId, provider: 'oura', ...(returnUrl === undefined ? {} : { returnUrl }) },
    });
    expect(status).toBe(201);
    const url = new URL(body.authorizeUrl);
    expect(`${url.origin}${url.pathname}`).toBe(`${oura.url}/oura/oauth/authorize`);
    expect(url.searchParams.get('redirect_uri')).toBe('http://api.example/connect/callback');
    return url.searchParams.get('state') as string;
  }

  async function consent(subjectId: string, { returnUrl, granted }: { returnUrl?: string; granted?: string } = {}) {
    const state = await begin(returnUrl);
    const code = randomUUID();
    oura.codes.set(code, { subjectId, ...(granted === undefined ? {} : { scope: granted }) });
    return api.call('GET', `/connect/callback?code=${code}&state=${state}`);
  }

  const connections = () => api.rows<ConnectionRow>('select * from connection where tenant_id = $1', [scope.tenantId]);

  it('a consent becomes a connection, first windows, sealed tokens and one event', async () => {
    const endpoint = await api.seed.endpoint(scope);
    const subjectId = randomUUID();
    const page = await consent(subjectId);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('Connected')]);
    const [connection] = await connections();
    expect(connection).toMatchObject({ status: 'active', subject_id: subjectId, scopes: ['personal', 'daily'] });
    expect(keys.open(connection?.access_token as Buffer, `connection:${connection?.id}:access`)).toMatch(/^access-/);
    expect(keys.open(connection?.refresh_token as Buffer, `connection:${connection?.id}:refresh`)).toMatch(/^refresh-/);
    expect(connection?.next_sweep_at?.getTime()).toBeGreaterThan(Date.now());
    const windows = await api.rows<{ collection: string; days: number; state: string; priority: number; due: boolean; ahead: number }>(
      `select collection, state, priority, due_at <= now() as due, window_end::date - window_start::date as days,
         window_end::date - (now() at time zone 'UTC')::date as ahead from fetch_window
       where connection_id = $1 and collection in ('daily_activity', 'sleep') order by collection`,
      [connection?.id],
    );
    const one = { state: 'waiting', priority: 1, due: true, days: 5, ahead: 2 };
    expect(windows).toEqual([
      { collection: 'daily_activity', ...one },
      { collection: 'sleep', ...one },
    ]);
    // They are the first of a backfill, which goes on from them as far back as the environment says.
    const backfills = (await api.call('GET', `/v1/backfills?connectionId=${connection?.id}`, { key })).body.data;
    expect(backfills).toMatchObject([{ cause: 'consent', state: 'running', paused: false, userId }]);
    expect(Date.parse(backfills[0].to) - Date.parse(backfills[0].from)).toBe(92 * 86_400_000);
    const states = new Map(backfills[0].collections.map((one: { collection: string; state: string }) => [one.collection, one.state]));
    expect([states.get('sleep'), states.get('workout')]).toEqual(['running', 'not_permitted']);
    const { data } = (await api.call('GET', '/v1/events', { key })).body;
    expect(data).toEqual([
      expect.objectContaining({
        type: 'connection.created',
        revision: 1,
        data: {
          user: { id: userId, externalId: expect.stringMatching(/^ext-/) },
          connectionId: connection?.id,
          provider: 'oura',
          scopes: ['personal', 'daily'],
          revision: 1,
        },
      }),
    ]);
    expect((await api.call('GET', `/v1/events/${data[0].id}`, { key })).body.deliveries).toEqual([
      { endpointId: endpoint.id, state: 'pending', attempts: 0, nextAttemptAt: expect.any(String), endedAt: null },
    ]);
    const shown = (await api.call('GET', `/v1/connections?userId=${userId}`, { key })).body.data;
    expect(shown).toEqual([
      expect.objectContaining({ id: connection?.id, userId, provider: 'oura', providerAppId: appId, status: 'active' }),
    ]);
    expect(JSON.stringify(shown)).not.toContain(subjectId);
    expect(oura.tokenCalls.at(-1)).toMatchObject({ grant_type: 'authorization_code', client_id: 'client-1' });
  });

  it('tickets for the first windows and the event are issued after the commit', async () => {
    const endpoint = await api.seed.endpoint(scope);
    await consent(randomUUID());
    const jobs = await api.rows<{ data: { key: string } }>(`select data from bullmq.job where data->>'key' like $1`, [
      `${scope.tenantId}/%`,
    ]);
    expect(jobs.map(({ data }) => data.key).sort()).toEqual([`${scope.tenantId}/test#0`, `${scope.tenantId}/test#${endpoint.id}`]);
  });

  it('a state is good once, also for two callbacks at the same moment', async () => {
    const state = await begin();
    for (const code of ['a', 'b']) oura.codes.set(code, { subjectId: 'twice' });
    const replies = await Promise.all(['a', 'b'].map((code) => api.call('GET', `/connect/callback?code=${code}&state=${state}`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(replies.find(({ status }) => status === 400)?.body).toMatchObject({ code: 'state_invalid' });
    expect(await connections()).toHaveLength(1);
  });

  it('an expired, unknown or missing state is refused, in words for a browser', async () => {
    const state = await begin();
    await api.db.pool.query(`update connect_session set expires_at = now() - interval '1 second' where tenant_id = $1`, [scope.tenantId]);
    for (const query of [`code=c&state=${state}`, 'code=c&state=nobody', 'code=c', '']) {
      expect([query, (await api.call('GET', `/connect/callback?${query}`)).body.code]).toEqual([query, 'state_invalid']);
    }
    const page = await api.call('GET', '/connect/callback?code=%3Cscript%3E', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(page.body).not.toContain('<script>');
    expect(await connections()).toEqual([]);
  });

  it('the state stands in no table', async () => {
    const state = await begin();
    const [row] = await api.rows<{ text: string }>('select s::text as text from connect_session s where tenant_id = $1', [scope.tenantId]);
    expect(row?.text).not.toContain(state);
  });

  it('the person goes back to where the customer said, with how it ended', async () => {
    const back = async (reply: Promise<{ status: number; headers: Headers }>) => {
      const { status, headers } = await reply;
      expect(status).toBe(303);
      return Object.fromEntries(new URL(headers.get('location') as string).searchParams);
    };
    const returnUrl = 'https://customer.example/done?keep=1';
    expect(await back(consent('s-return', { returnUrl }))).toMatchObject({
      keep: '1',
      status: 'connected',
      connectionId: (await connections())[0]?.id,
    });
    const denied = await begin(returnUrl);
    expect(await back(api.call('GET', `/connect/callback?error=access_denied&state=${denied}`))).toMatchObject({
      keep: '1',
      status: 'denied',
    });
    expect(await back(consent('somebody-else', { returnUrl }))).toMatchObject({ status: 'failed', code: 'subject_mismatch' });
    const worthless = await begin(returnUrl);
    expect(await back(api.call('GET', `/connect/callback?code=unknown&state=${worthless}`))).toMatchObject({
      status: 'failed',
      code: 'provider_refused',
    });
    const down = await begin(returnUrl);
    oura.failWith = 503;
    expect(await back(api.call('GET', `/connect/callback?code=c&state=${down}`))).toMatchObject({
      status: 'failed',
      code: 'provider_unavailable',
    });
  });

  it('only web addresses are returned to, and only of a session that the customer began', async () => {
    for (const returnUrl of ['javascript:alert(1)', '//evil.example', 'ftp://evil.example', 'data:text/html,x']) {
      const { status, body } = await api.call('POST', '/v1/connect-sessions', { key, body: { userId, provider: 'oura', returnUrl } });
      expect([returnUrl, status, body.faults[0]?.path]).toEqual([returnUrl, 422, 'returnUrl']);
    }
    const state = await begin();
    const reply = await api.call('GET', `/connect/callback?error=access_denied&state=${state}&returnUrl=https://evil.example`);
    expect([reply.status, reply.headers.get('location')]).toEqual([200, null]);
  });

  it('a session says who in one way, makes the user who is not there, and none for a provider without an app', async () => {
    const begun = (body: object) => api.call('POST', '/v1/connect-sessions', { key, body });
    const users = () =>
      api.rows<{ id: string; external_id: string }>('select id, external_id from app_user where tenant_id = $1', [scope.tenantId]);
    for (const body of [{}, { userId, user: { externalId: 'e' } }, { user: { externalId: 'e', more: 1 } }, { user: { externalId: '' } }]) {
      expect([body, (await begun(body)).status]).toEqual([body, 422]);
    }
    for (const [body, path] of [
      [{ user: { externalId: 'fresh' }, provider: 'whoop' }, 'provider'],
      [{ userId, providers: ['oura', 'whoop'] }, 'providers.1'],
    ] as const) {
      expect((await begun(body)).body.faults).toEqual([{ path, message: 'has no provider app in the test environment' }]);
    }
    expect(await users()).toHaveLength(1);
    const first = await begun({ user: { externalId: 'fresh' }, provider: 'oura', language: 'de' });
    expect(first.body).toMatchObject({
      url: expect.stringMatching(/^http:\/\/api\.example\/connect\/page\?link=[\w-]+$/),
      authorizeUrl: expect.any(String),
    });
    expect((await begun({ user: { externalId: 'fresh' } })).body.userId).toBe(first.body.userId);
    expect((await users()).filter(({ external_id: name }) => name === 'fresh')).toEqual([{ id: first.body.userId, external_id: 'fresh' }]);
    const links = await api.rows('select id, user_id, providers, language, browser_hash from connect_link where id = $1', [first.body.id]);
    expect(links).toEqual([{ id: first.body.id, user_id: first.body.userId, providers: ['oura'], language: 'de', browser_hash: null }]);
  });

  it('a refresh reads the last days as urgently as a webhook, once a minute, and only with a grant', async () => {
    await consent('s-refresh');
    const [connection] = await connections();
    await api.db.pool.query('delete from fetch_window where connection_id = $1', [connection?.id]);
    const refresh = () => api.call('POST', `/v1/connections/${connection?.id}/refresh`, { key });
    const [first, second] = await Promise.all([refresh(), refresh()]);
    expect([first.status, second.status].sort()).toEqual([202, 429]);
    const [planned, refused] = first.status === 202 ? [first, second] : [second, first];
    expect(planned.body.collections).toEqual(expect.arrayContaining(['daily_activity', 'sleep']));
    expect(planned.body.collections).not.toContain('workout');
    expect([refused.body.code, Number(refused.headers.get('retry-after'))]).toEqual(['too_many_requests', expect.any(Number)]);
    const day = (n: number) => addDays(new Date().toISOString().slice(0, 10), n);
    const windows = () =>
      api.rows<{ collection: string }>(
        `select collection, window_start as start, window_end as end, priority, state from fetch_window where connection_id = $1
         order by collection`,
        [connection?.id],
      );
    expect(await windows()).toEqual(
      [...(planned.body.collections as string[])]
        .sort()
        .map((collection) => ({ collection, start: day(-3), end: day(2), priority: 0, state: 'waiting' })),
    );
    await api.db.pool.query(`update connection set refreshed_at = now() - interval '61 seconds' where id = $1`, [connection?.id]);
    expect((await refresh()).status).toBe(202);
    expect(await windows()).toHaveLength(planned.body.collections.length);
    await api.db.pool.query(`update connection set status = 'reauth_required', refreshed_at = null where id = $1`, [connection?.id]);
    expect([(await refresh()).status, (await refresh()).body.detail]).toEqual([409, expect.stringContaining('reauth-link')]);
    expect(await api.rows(`select 1 from audit_log where tenant_id = $1 and action = 'connection.refresh'`, [scope.tenantId])).toHaveLength(
      2,
    );
  });

  it('consenting anew keeps the connection, resumes what was parked and counts a new revision', async () => {
    await consent('s-again');
    const [first] = await connections();
    await api.db.pool.query(`update connection set status = 'reauth_required', access_token = null where id = $1`, [first?.id]);
    await api.db.pool.query(
      `insert into fetch_window (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, state, due_at)
       values ($1, 'test', $2, 'sleep', 'object', 'doc', 'doc', 'parked', now() + interval '1 day')`,
      [scope.tenantId, first?.id],
    );
    await api.db.pool.query(`update fetch_window set state = 'parked' where connection_id = $1`, [first?.id]);
    await api.db.pool.query(`update connection set updated_at = now() - interval '20 days' where id = $1`, [first?.id]);
    expect((await consent('s-again')).status).toBe(200);
    expect(await connections()).toEqual([expect.objectContaining({ id: first?.id, status: 'active' })]);
    const windows = await api.rows<{ start: string; end: string; state: string; due: boolean }>(
      `select window_start as start, window_end as end, state, due_at <= now() as due from fetch_window
       where connection_id = $1 and collection = 'sleep' order by window_start`,
      [first?.id],
    );
    const waits = { state: 'waiting', due: true };
    // All that came since the grant ended, the newest days of the backfill, and what was parked.
    const day = (n: number) => addDays(new Date().toISOString().slice(0, 10), n);
    expect(windows).toEqual([
      { start: day(-21), end: day(2), ...waits },
      { start: day(-3), end: day(2), ...waits },
      { start: 'doc', end: 'doc', ...waits },
    ]);
    expect(
      (await api.call('GET', '/v1/events?type=connection.created', { key })).body.data.map((event: { revision: number }) => event.revision),
    ).toEqual([2, 1]);
  });

  it('another account for the same user is refused, keeps the old grant and owes the new one back', async () => {
    await consent('s-mine');
    const [before] = await connections();
    const other = await consent('s-other');
    expect([other.status, other.body.code]).toEqual([409, 'subject_mismatch']);
    expect(await connections()).toEqual([before]);
    const owed = await api.rows<{ id: string; access_token: Buffer }>(
      'select id, access_token from upstream_revocation where tenant_id = $1',
      [scope.tenantId],
    );
    expect(owed.map((row) => keys.open(row.access_token, `upstream_revocation:${row.id}`))).toEqual([expect.stringMatching(/s-other$/)]);
  });

  it('what the person did not grant is not read', async () => {
    await consent('s-personal', { granted: 'personal' });
    const read = () =>
      api.rows<{ collection: string }>('select collection from fetch_window where tenant_id = $1 order by collection', [scope.tenantId]);
    expect(await read()).toEqual([{ collection: 'personal_info' }]);
    expect((await connections())[0]?.scopes).toEqual(['personal']);
  });

  it('C154 what a consent did not cover begins to be read by the consent that does, and what is read is not read again', async () => {
    await consent('s-more', { granted: 'personal' });
    const windows = () =>
      api.rows<{ collection: string; backfill_id: string }>(
        'select collection, backfill_id from fetch_window where tenant_id = $1 and backfill_id is not null order by collection',
        [scope.tenantId],
      );
    expect((await windows()).map(({ collection }) => collection)).toEqual(['personal_info']);
    expect((await consent('s-more', { granted: 'personal workout' })).status).toBe(200);
    const after = await windows();
    expect(after.map(({ collection }) => collection)).toEqual(['personal_info', 'workout']);
    // One runs for a connection at a time.
    expect(new Set(after.map(({ backfill_id: id }) => id)).size).toBe(1);
  });

  it('disconnecting drops tokens and windows, owes a revocation and tells the customer once', async () => {
    await api.seed.endpoint(scope);
    await consent('s-leaves');
    const [connection] = await connections();
    const gone = await api.call('DELETE', `/v1/connections/${connection?.id}`, { key });
    expect([gone.status, gone.body.status]).toEqual([200, 'disconnected']);
    expect((await api.call('DELETE', `/v1/connections/${connection?.id}`, { key })).status).toBe(200);
    expect(await connections()).toEqual([
      expect.objectContaining({ status: 'disconnected', access_token: null, refresh_token: null, next_sweep_at: null }),
    ]);
    expect(await api.rows('select 1 from fetch_window where connection_id = $1', [connection?.id])).toEqual([]);
    const owed = await api.rows<{ id: string; access_token: Buffer }>(
      'select id, access_token from upstream_revocation where tenant_id = $1',
      [scope.tenantId],
    );
    expect(owed.map((row) => keys.open(row.access_token, `upstream_revocation:${row.id}`))).toEqual([expect.stringMatching(/s-leaves$/)]);
    const events = (await api.call('GET', '/v1/events?type=connection.revoked', { key })).body.data;
    expect(events).toEqual([
      expect.objectContaining({ revision: 2, data: expect.objectContaining({ connectionId: connection?.id, reason: 'disconnected' }) }),
    ]);
    const audit = await api.rows<{ action: string; target: string }>(
      'select action, target from audit_log where tenant_id = $1 order by at, id',
      [scope.tenantId],
    );
    expect(audit.map(({ action }) => action)).toEqual([
      'provider_app.create',
      'user.create',
      'connect_settings.update',
      'connect_session.create',
      'connection.grant',
      'connection.disconnect',
    ]);
    expect(JSON.stringify(audit)).not.toContain('s-leaves');
  });

  it('a grant that another user lives on is not ended for them', async () => {
    await consent('s-shared');
    const [mine] = await connections();
    const owner = userId;
    userId = (await api.call('POST', '/v1/users', { key, body: { externalId: 'the-other' } })).body.id;
    await consent('s-shared');
    await api.call('DELETE', `/v1/connections/${mine?.id}`, { key });
    expect(await api.rows('select 1 from upstream_revocation where tenant_id = $1', [scope.tenantId])).toEqual([]);
    await api.call('DELETE', `/v1/users/${owner}`, { key });
    expect(await api.rows('select 1 from subject_tombstone where tenant_id = $1', [scope.tenantId])).toEqual([]);
    await api.call('DELETE', `/v1/users/${userId}`, { key });
    expect(await api.rows('select 1 from subject_tombstone where tenant_id = $1', [scope.tenantId])).toHaveLength(1);
    expect(await api.rows('select 1 from upstream_revocation where tenant_id = $1', [scope.tenantId])).toHaveLength(1);
  });

  it('an erased person comes back only by consenting anew', async () => {
    await consent('s-back');
    await api.call('DELETE', `/v1/users/${userId}`, { key });
    expect(await api.rows('select subject_hash from subject_tombstone where tenant_id = $1', [scope.tenantId])).toEqual([
      { subject_hash: keys.subjectHashes(appId, 's-back')[0] },
    ]);
    userId = (await api.call('POST', '/v1/users', { key, body: { externalId: 'returned' } })).body.id;
    await consent('s-back');
    expect(await api.rows('select 1 from subject_tombstone where tenant_id = $1', [scope.tenantId])).toEqual([]);
    expect(await connections()).toHaveLength(1);
  });

  it('a consent that ends after the erasure of its user makes no row of them', async () => {
    const state = await begin();
    oura.codes.set('late', { subjectId: 's-late' });
    await api.call('DELETE', `/v1/users/${userId}`, { key });
    expect((await api.call('GET', `/connect/callback?code=late&state=${state}`)).status).toBe(400);
    expect(await connections()).toEqual([]);
  });
});
