// doubles: none; a browser without JavaScript, the API on a database of its own, the stand-ins, all over HTTP.
// oracles: rows, the bytes of pages.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyRing } from '@tributary/service-shell';
import { type RunningApi, startApi } from '../../apps/api/testing/start-api.js';
import { type SeededEnvironment, TEST_KEYS } from '../../packages/storage/testing/seed.js';
import { PlainBrowser } from './plain-browser.js';
import { type ProviderServer, startProviders } from './provider-server.js';

const keys = new KeyRing(TEST_KEYS);
const NAME = `Vital <b>"Fit" & 'Co'</b>`;
const RETURN = 'https://customer.example/done?keep=1';
/** Origin and path of an address, and its query. */
const parts = (url: string) => [url.split('?')[0], Object.fromEntries(new URL(url).searchParams)];

interface ConsentRow {
  end_is: string | null;
  end_code: string | null;
  used: boolean;
  bound: boolean;
}

describe('the hosted page', () => {
  let providers: ProviderServer;
  let api: RunningApi;
  let scope: SeededEnvironment;
  let key: string;
  let appId: string;

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
    await api.db.pool.query('update tenant set name = $2 where id = $1', [scope.tenantId, NAME]);
    for (const provider of ['oura', 'strava']) {
      await providers.controlOf(provider)('DELETE', '/');
      const client = { clientId: `${provider}-${randomUUID()}`, clientSecret: 'secret' };
      await providers.controlOf(provider)('POST', '/apps', { ...client, redirectUris: ['http://api.example/connect/callback'] });
      const made = await api.call('POST', '/v1/provider-apps', { key, body: { provider, ...client, sandbox: true } });
      if (provider === 'oura') appId = made.body.id;
    }
    await providers.control('POST', '/people', { subjectId: 'ada', name: 'Ada' });
    await api.call('PUT', '/v1/connect-settings', { key, body: { returnUrls: [RETURN] } });
  });

  const browser = (keepsCookies = true) => new PlainBrowser({ 'http://api.example': api.url }, ['https://customer.example'], keepsCookies);
  const link = async (more: object = {}) => {
    const made = await api.call('POST', '/v1/connect-sessions', { key, body: { user: { externalId: 'ext-1' }, ...more } });
    expect(made.status).toBe(201);
    return made.body as { id: string; userId: string; url: string; authorizeUrl: string | null; expiresAt: string };
  };
  const connections = () => api.rows<Record<string, unknown>>('select * from connection where tenant_id = $1', [scope.tenantId]);
  const consents = () =>
    api.rows<ConsentRow>(
      `select end_is, end_code, used_at is not null as used, browser_hash is not null as bound from connect_session
       where tenant_id = $1 order by created_at`,
      [scope.tenantId],
    );

  it('a person chooses, consents, sees what is connected and goes back, with no script anywhere', async () => {
    const made = await link({ returnUrl: RETURN });
    expect(made).toMatchObject({ id: expect.stringMatching(/^ses_/), authorizeUrl: null });
    const person = browser();
    const page = await person.open(made.url);
    expect([page.status, page.headers.get('content-language')]).toEqual([200, 'en']);
    expect(page.html).toContain('<html lang="en">');
    expect(page.html).not.toMatch(/<script|<b>|javascript:| on\w+=/);
    expect(page.text).toContain(`Connect your devices to ${NAME}`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('set-cookie')).toMatch(/^tributary_connect=[\w-]{43}; Path=\/connect; .*HttpOnly; SameSite=Lax/);
    // Looking has changed nothing.
    expect(await consents()).toEqual([]);

    const asked = await person.press('Connect Oura');
    expect(asked.url).toContain(`${providers.url}/oura/oauth/authorize?`);
    expect(await consents()).toEqual([{ end_is: null, end_code: null, used: false, bound: true }]);
    const back = await person.press('Allow');
    expect(back.url).toMatch(/^http:\/\/api\.example\/connect\/page\?link=/);
    expect(back.text).toContain('Oura is connected. Your data will arrive from now on.');
    expect(back.text).toContain('Oura Connected Renew Oura');
    expect(back.text).toContain('Strava Connect Strava');

    const [connection] = await connections();
    expect(connection).toMatchObject({ user_id: made.userId, subject_id: 'ada', status: 'active', provider_app_id: appId });
    const { grants } = await providers.control<{ grants: { scopes: string[]; alive: boolean }[] }>('GET', '/people/ada/grants');
    expect(grants).toEqual([expect.objectContaining({ alive: true, scopes: connection?.['scopes'] })]);
    expect(keys.open(connection?.['access_token'] as Buffer, `connection:${String(connection?.['id'])}:access`)).toMatch(/^[\w-]{32}$/);
    expect(await consents()).toEqual([{ end_is: 'connected', end_code: null, used: true, bound: true }]);
    // Webhooks are owed by the provider from now on, and the past is being read.
    expect(
      await api.rows('select provider_app_id, next_check_at <= now() as due from subscription_upkeep where tenant_id = $1', [
        scope.tenantId,
      ]),
    ).toEqual([{ provider_app_id: appId, due: true }]);
    expect(await api.rows('select cause from backfill where tenant_id = $1', [scope.tenantId])).toEqual([{ cause: 'consent' }]);
    expect((await api.call('GET', '/v1/events?type=connection.created', { key })).body.data).toHaveLength(1);

    await person.press(`Back to ${NAME}`);
    expect(parts(person.page.url)).toEqual([
      'https://customer.example/done',
      { keep: '1', connectSessionId: made.id, status: 'connected', connectionId: connection?.['id'] },
    ]);
    // The link has done its work.
    expect([(await person.open(made.url)).status, person.page.text]).toEqual([410, expect.stringContaining('You are done here')]);
  });

  it('who does not agree changes nothing, reads so, and goes back with the word', async () => {
    const made = await link({ returnUrl: RETURN, providers: ['oura'] });
    const person = browser();
    await person.open(made.url);
    expect(person.page.text).not.toContain('Strava');
    await person.press('Connect Oura');
    await person.press('Deny');
    expect(person.page.text).toContain('You did not agree at Oura, so nothing was changed.');
    expect(await connections()).toEqual([]);
    expect(await consents()).toEqual([{ end_is: 'denied', end_code: null, used: true, bound: true }]);
    await person.press(`Back to ${NAME}`);
    expect(parts(person.page.url)[1]).toEqual({ keep: '1', connectSessionId: made.id, status: 'denied' });
  });

  it('what was not ticked is stored so, and named in words', async () => {
    const person = browser();
    await person.open((await link()).url);
    await person.press('Connect Oura');
    await person.press('Allow', (fields) => fields.delete('granted', 'workout'));
    expect(person.page.text).toContain('not everything is shared: workouts will be missing');
    expect((await connections())[0]?.['scopes']).not.toContain('workout');
    await person.press('I am done');
    expect(person.page.text).toContain('You are done here');
  });

  it('a provider that refuses is told in words and by a code, here and at the return address', async () => {
    const made = await link({ returnUrl: RETURN });
    const person = browser();
    await person.open(made.url);
    await person.press('Connect Oura');
    await api.db.pool.query(`update provider_app set client_id = 'nobody' where id = $1`, [appId]);
    await person.press('Allow');
    expect(person.page.text).toMatch(/Oura could not be connected, and nothing was changed\. .*Code for support: provider_/);
    expect(await connections()).toEqual([]);
    const [consent] = await consents();
    expect(consent).toMatchObject({ end_is: 'failed', end_code: expect.stringMatching(/^provider_/) });
    await person.press(`Back to ${NAME}`);
    expect(parts(person.page.url)[1]).toMatchObject({ status: 'failed', code: consent?.end_code });
  });

  it('a link belongs to the browser that first chose, and so does the consent that it began', async () => {
    const made = await link();
    const [person, thief] = [browser(), browser()];
    await thief.open(made.url);
    await person.open(made.url);
    await person.press('Connect Oura');
    expect([(await thief.press('Connect Oura')).status, thief.page.text]).toEqual([409, expect.stringContaining('opened elsewhere')]);
    expect((await thief.open(made.url)).status).toBe(409);
    // The consent's own address in the wrong browser: refused, and left good for the right one.
    const consent = new URL(person.page.url);
    consent.searchParams.set('person', 'ada');
    const callback = (await fetch(consent, { redirect: 'manual' })).headers.get('location') ?? '';
    expect([(await thief.open(callback)).status, thief.page.text]).toEqual([400, expect.stringContaining('another browser')]);
    expect(await connections()).toEqual([]);
    expect(await consents()).toEqual([{ end_is: null, end_code: null, used: false, bound: true }]);
    expect((await person.open(callback)).text).toContain('Oura is connected');
    expect(await connections()).toHaveLength(1);
    // A state that was used.
    expect([(await person.open(callback)).status, person.page.text]).toEqual([400, expect.stringContaining('was finished before')]);
    expect(await connections()).toHaveLength(1);
  });

  it('a link that is cut off, changed, foreign, expired or of nobody says what to do', async () => {
    const made = await link({ language: 'de' });
    const token = new URL(made.url).searchParams.get('link') as string;
    const at = (n: number) => `${token.slice(0, n)}${token[n] === 'A' ? 'B' : 'A'}${token.slice(n + 1)}`;
    for (const wrong of [
      token.slice(0, -4),
      at(40),
      at(token.length - 20),
      `${token}A`,
      `${token}=`,
      'x',
      '%00',
      '',
      `${token}&link=${token}`,
    ]) {
      const page = await browser().open(`http://api.example/connect/page?link=${wrong}`);
      expect([wrong, page.status, page.text]).toEqual([wrong, 400, expect.stringContaining('This link is not complete')]);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    const foreign = new KeyRing(`other:${Buffer.alloc(32, 9).toString('base64')}`)
      .seal('["a","test","b"]', 'connect-link')
      .toString('base64url');
    expect((await browser().open(`http://api.example/connect/page?link=${foreign}`)).status).toBe(400);
    const person = browser();
    expect((await person.open(made.url)).html).toContain('<html lang="de">');
    expect(person.page.text).toContain('Geräte mit');
    await api.db.pool.query(`update connect_link set expires_at = now() where id = $1`, [made.id]);
    expect([(await person.press('Oura verbinden')).status, person.page.text]).toEqual([410, expect.stringContaining('abgelaufen')]);
    await api.call('DELETE', `/v1/users/${made.userId}`, { key });
    expect([(await person.open(made.url)).status, person.page.text]).toEqual([404, expect.stringContaining('leads nowhere')]);
    expect(await consents()).toEqual([]);
    expect(await connections()).toEqual([]);
  });

  it('without a cookie nothing is begun; nor with a provider that is not on the list', async () => {
    const made = await link({ providers: ['oura'] });
    const person = browser(false);
    await person.open(made.url);
    expect([(await person.press('Connect Oura')).status, person.page.text]).toEqual([400, expect.stringContaining('allow cookies')]);
    const other = browser();
    await other.open(made.url);
    for (const provider of ['strava', 'nobody', '__proto__', '']) {
      const page = await other.open(made.url, { method: 'POST', body: new URLSearchParams({ provider }) });
      expect([provider, page.status, page.text]).toEqual([provider, 400, expect.stringContaining('not offered')]);
    }
    expect(await consents()).toEqual([]);
    expect(await api.rows('select browser_hash from connect_link where id = $1', [made.id])).toEqual([{ browser_hash: null }]);
  });

  it('forms are read here and nowhere else', async () => {
    const reply = await api.call('POST', '/v1/users', {
      key,
      raw: 'externalId=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([reply.status, reply.body.code]).toEqual([415, 'unsupported_media_type']);
    const made = await link();
    const long = await browser().open(made.url, { method: 'POST', body: new URLSearchParams({ provider: 'x'.repeat(5_000) }) });
    expect(long.status).toBe(413);
    expect(await consents()).toEqual([]);
  });

  it('nobody is sent to an address that is not allowed to the letter', async () => {
    for (const returnUrl of ['https://customer.example/done', `${RETURN}&x`, 'https://customer.example.evil/done?keep=1', `${RETURN}#a`]) {
      const { status, body } = await api.call('POST', '/v1/connect-sessions', { key, body: { user: { externalId: 'e' }, returnUrl } });
      expect([returnUrl, status, body.faults?.[0]?.path]).toEqual([returnUrl, 422, 'returnUrl']);
    }
    expect((await api.call('GET', '/v1/connect-settings', { key })).body).toEqual({ returnUrls: [RETURN] });
    const made = await link({ returnUrl: RETURN });
    const person = browser();
    await person.open(`${made.url}&returnUrl=https://evil.example&return_url=//evil.example`);
    await person.press(`Back to ${NAME}`);
    expect(parts(person.page.url)).toEqual([
      'https://customer.example/done',
      { keep: '1', connectSessionId: made.id, status: 'unchanged' },
    ]);
  });

  it('a consent anew by a link keeps connection and user, and asks for nothing else', async () => {
    const person = browser();
    await person.open((await link()).url);
    await person.press('Connect Oura');
    await person.press('Allow');
    const [first] = await connections();
    await api.db.pool.query(`update connection set status = 'reauth_required' where id = $1`, [first?.['id']]);
    const made = await api.call('POST', `/v1/connections/${String(first?.['id'])}/reauth-link`, { key });
    expect([made.status, made.body.userId]).toEqual([201, first?.['user_id']]);
    const again = browser();
    await again.open(made.body.url);
    expect(again.page.text).toContain('Oura Needs your consent again Renew Oura');
    expect(again.page.text).not.toContain('Strava');
    await again.press('Renew Oura');
    await again.press('Allow');
    const after = await connections();
    expect(after).toEqual([expect.objectContaining({ id: first?.['id'], user_id: first?.['user_id'], status: 'active' })]);
    expect(after[0]?.['access_token']).not.toEqual(first?.['access_token']);
  });

  it('a link begins fifty consents at most', async () => {
    const made = await link();
    const person = browser();
    await person.open(made.url);
    await person.press('Connect Oura');
    await api.db.pool.query(
      `insert into connect_session (tenant_id, environment, id, user_id, provider_app_id, state_hash, redirect_uri, expires_at, link_id)
       select tenant_id, environment, id || n, user_id, provider_app_id, sha256(convert_to(n::text, 'UTF8') || state_hash), redirect_uri, expires_at, link_id
       from connect_session, generate_series(1, 49) as n where tenant_id = $1`,
      [scope.tenantId],
    );
    await person.open(made.url);
    expect([(await person.press('Connect Oura')).status, person.page.text]).toEqual([429, expect.stringContaining('Too many tries')]);
    expect(await consents()).toHaveLength(50);
  });
});
