import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProviderServer, startProviders } from '../../../../test/stand-ins/provider-server.js';

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly token_type: string;
}

const redirectUri = 'http://127.0.0.1:9/connect/callback';

describe('OAuth at the Oura stand-in', () => {
  let oura: ProviderServer;
  let now = 1_789_452_300_000;
  beforeAll(async () => {
    oura = await startProviders(() => now);
  });
  afterAll(() => oura.stop());
  beforeEach(async () => {
    await oura.control('DELETE', '/');
    await oura.control('POST', '/apps', { clientId: 'app', clientSecret: 'secret-1', redirectUris: [redirectUri], accessTokenTtlS: 60 });
    await oura.control('POST', '/people', { subjectId: 'ada', name: 'Ada & <co>' });
  });

  const authorizePath = (change: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: redirectUri,
      scope: 'personal daily',
      state: 'st/ate',
      person: 'ada',
      ...change,
    });
    for (const [name, value] of Object.entries(change)) if (value === '') query.delete(name);
    return `/oura/oauth/authorize?${query.toString()}`;
  };
  const sentBack = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams);
  const authorize = async (change: Record<string, string> = {}) =>
    sentBack((await oura.call('GET', authorizePath(change))).headers.get('location'));
  const token = <T = TokenAnswer>(form: Record<string, string>, headers: Record<string, string> = {}) =>
    oura.call<T>('POST', '/oura/oauth/token', new URLSearchParams(form), headers);
  const client = { client_id: 'app', client_secret: 'secret-1' };
  const exchange = (code: string, change: Record<string, string> = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...client, ...change });
  const connect = async () => (await exchange((await authorize())['code'] ?? '')).body;
  const refresh = (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...client });
  const readStatus = async (accessToken: string) =>
    (await oura.call('GET', '/oura/v2/usercollection/personal_info', undefined, { authorization: `Bearer ${accessToken}` })).status;

  it('a person who agrees is sent back with a code that becomes tokens for what was granted', async () => {
    const back = await authorize();
    expect(back).toEqual({ code: expect.any(String), scope: 'personal daily', state: 'st/ate' });
    const { status, body, headers } = await exchange(back['code'] ?? '');
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'bearer',
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 60,
      scope: 'personal daily',
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await readStatus(body.access_token)).toBe(200);
    expect(await oura.control('GET', '/calls?subjectId=ada')).toMatchObject({ tokenExchanges: 1, tokenRefreshes: 0, personalInfoReads: 1 });
  });

  it('the consent page names the people and scopes, escaped, and its two buttons work', async () => {
    const page = await oura.call<string>('GET', authorizePath({ person: '' }));
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.body).toContain('Ada &#38; &#60;co&#62;');
    expect(page.body).not.toContain('<co>');
    const hidden = Object.fromEntries(
      [...page.body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    expect(hidden).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: redirectUri,
      scope: 'personal daily',
      state: 'st/ate',
    });
    const press = (fields: Record<string, string>) =>
      oura.call('POST', '/oura/oauth/authorize', new URLSearchParams({ ...hidden, ...fields }));

    const allowed = await press({ decision: 'allow', person: 'ada', granted: 'daily' });
    expect([allowed.status, sentBack(allowed.headers.get('location'))]).toEqual([
      302,
      { code: expect.any(String), scope: 'daily', state: 'st/ate' },
    ]);
    const denied = await press({ decision: 'deny', person: 'ada', granted: 'daily' });
    expect(sentBack(denied.headers.get('location'))).toEqual({ error: 'access_denied', state: 'st/ate' });
  });

  it('nobody is redirected to an address that is not registered to the letter', async () => {
    const changes: Record<string, string>[] = [
      { redirect_uri: `${redirectUri}/` },
      { redirect_uri: 'http://evil.test/' },
      { client_id: 'nobody' },
      { redirect_uri: '' },
    ];
    for (const change of changes) {
      const answer = await oura.call('GET', authorizePath(change));
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
  });

  it('other faults of the request are told to the app', async () => {
    expect(await authorize({ response_type: 'token' })).toEqual({ error: 'unsupported_response_type', state: 'st/ate' });
    expect(await authorize({ scope: 'daily everything' })).toEqual({ error: 'invalid_scope', state: 'st/ate' });
  });

  it('a wrong secret, no secret, two places of credentials, and a JSON body are refused', async () => {
    const code = (await authorize())['code'] ?? '';
    const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`app:${secret}`).toString('base64')}` });
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    const wrong = await token<{ error: string }>({ ...form, client_id: 'app', client_secret: 'wrong' });
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
    expect((await token({ ...form, client_id: 'app' })).status).toBe(401);
    expect((await token(form, basic('wrong'))).status).toBe(401);
    expect((await token({ ...form, ...client }, basic('secret-1'))).status).toBe(400);
    const json = await oura.call<{ error: string }>('POST', '/oura/oauth/token', { ...form, ...client });
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request']);
    expect((await token<{ error: string }>({ ...client, grant_type: 'password' })).body.error).toBe('unsupported_grant_type');
    expect((await token(form, basic('secret-1'))).status).toBe(200);
  });

  it('a code is refused after ten minutes, for another redirect address, and the second time, which also ends the grant', async () => {
    const [old = '', other = ''] = [(await authorize())['code'], (await authorize())['code']];
    expect((await exchange(other, { redirect_uri: 'http://127.0.0.1:9/else' })).status).toBe(400);
    now += 600_001;
    expect(await exchange(old)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const code = (await authorize())['code'] ?? '';
    const tokens = (await exchange(code)).body;
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await readStatus(tokens.access_token)).toBe(401);
  });

  it('refresh tokens rotate; one that comes back ends the grant', async () => {
    const first = await connect();
    now += 60_000;
    expect(await readStatus(first.access_token)).toBe(401);
    const second = await refresh(first.refresh_token);
    expect([second.status, await readStatus(second.body.access_token)]).toEqual([200, 200]);
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await readStatus(second.body.access_token)).toBe(401);
    expect(await refresh(second.body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await oura.control('GET', '/calls')).toMatchObject({ tokenExchanges: 1, tokenRefreshes: 1, tokensRefused: 2 });
  });

  it('both secrets of a rotation are good for token calls, until the old one is retired', async () => {
    const tokens = await connect();
    expect(await oura.control('POST', '/apps/app/rotate-secret', { clientSecret: 'secret-2' })).toEqual({
      clientId: 'app',
      liveSecrets: 2,
    });
    const renewed = await refresh(tokens.refresh_token);
    expect(renewed.status).toBe(200);
    await oura.control('POST', '/apps/app/rotate-secret', { clientSecret: 'secret-3', retireOld: true });
    expect((await refresh(renewed.body.refresh_token)).status).toBe(401);
    expect(
      (await token({ grant_type: 'refresh_token', refresh_token: renewed.body.refresh_token, client_id: 'app', client_secret: 'secret-3' }))
        .status,
    ).toBe(200);
  });

  it('revoking ends the grant, and may be repeated', async () => {
    const tokens = await connect();
    const revoke = (query: string) => oura.call('POST', `/oura/oauth/revoke${query}`);
    expect((await revoke(`?access_token=${tokens.access_token}`)).status).toBe(200);
    expect(await readStatus(tokens.access_token)).toBe(401);
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
    expect((await revoke(`?access_token=${tokens.access_token}`)).status).toBe(200);
    expect((await revoke('')).status).toBe(400);
    expect(await oura.control('GET', '/calls?subjectId=ada')).toMatchObject({ revokes: 2 });
  });
});
