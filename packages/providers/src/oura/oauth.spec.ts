import { describe, expect, it } from '@jest/globals';
import { type ProviderReply, ProviderUnreachable } from '../provider.js';
import { ouraOAuth } from './oauth.js';

const origins = { api: 'https://api.test', authorize: 'https://cloud.test', token: 'https://token.test' };
const client = { clientId: 'id', clientSecret: 's&cret' };
const now = 1_000_000;

function saying(status: number, body: unknown) {
  const asked: { method: string; url: string; body?: string; headers?: Readonly<Record<string, string>> }[] = [];
  const http = {
    async send(request: (typeof asked)[number]): Promise<ProviderReply> {
      asked.push(request);
      if (body instanceof Error) throw body;
      return { status, headers: {}, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
    },
  };
  return { http, asked };
}

describe("Oura's OAuth", () => {
  it('leads a person to consent', () => {
    const url = new URL(
      ouraOAuth.authorizeUrl({ origins, clientId: 'id', redirectUri: 'https://us/cb?x=1', state: 'st', scopes: ['daily', 'personal'] }),
    );
    expect(url.origin + url.pathname).toBe('https://cloud.test/oauth/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id',
      redirect_uri: 'https://us/cb?x=1',
      scope: 'daily personal',
      state: 'st',
    });
  });

  it('exchanges a code, with everything in the body and nothing in the address', async () => {
    const { http, asked } = saying(200, { access_token: 'a', refresh_token: 'r', expires_in: 3600, scope: 'daily personal' });
    expect(await ouraOAuth.exchange(http, { origins, client, code: 'c', redirectUri: 'https://us/cb', now })).toEqual({
      is: 'granted',
      grant: { accessToken: 'a', refreshToken: 'r', expiresAt: now + 3_600_000, scopes: ['daily', 'personal'] },
    });
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'https://token.test/oauth/token' });
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'https://us/cb',
      client_id: 'id',
      client_secret: 's&cret',
    });
  });

  it('a refresh without a new refresh token leaves the old one, and a missing lifetime is taken as a day', async () => {
    const { http, asked } = saying(200, { access_token: 'a2' });
    expect(await ouraOAuth.refresh(http, { origins, client, refreshToken: 'r1', now })).toMatchObject({
      is: 'granted',
      grant: { accessToken: 'a2', refreshToken: undefined, expiresAt: now + 86_400_000 },
    });
    expect(new URLSearchParams(asked[0]?.body).get('refresh_token')).toBe('r1');
  });

  it.each([
    [400, { error: 'invalid_grant' }, { is: 'invalid-grant' }],
    [401, { error: 'invalid_grant' }, { is: 'invalid-grant' }],
    [401, { error: 'invalid_client' }, { is: 'transient', code: 'token_http_401' }],
    [400, { error: 'invalid_request' }, { is: 'invalid-grant' }],
    [400, { error: 'invalid_client' }, { is: 'transient', code: 'token_http_400' }],
    [400, 'no json', { is: 'transient', code: 'token_http_400' }],
    [500, { error: 'invalid_grant' }, { is: 'transient', code: 'token_http_500' }],
    [200, { token: 'x' }, { is: 'transient', code: 'token_reply_malformed' }],
    [200, 'no json', { is: 'transient', code: 'token_reply_malformed' }],
    [0, new ProviderUnreachable('timeout'), { is: 'transient', code: 'timeout' }],
  ])('only invalid_grant says that the grant is worthless: %i %j', async (status, body, outcome) => {
    expect(await ouraOAuth.refresh(saying(status, body).http, { origins, client, refreshToken: 'r', now })).toEqual(outcome);
  });

  it.each([
    [200, {}, true],
    [204, '', true],
    [401, {}, true],
    [400, {}, true],
    [500, {}, false],
    [429, {}, false],
    [0, new ProviderUnreachable('reset'), false],
  ])('a token is revoked when the provider honours it no longer: %i', async (status, body, done) => {
    const { http, asked } = saying(status, body);
    expect(await ouraOAuth.revoke(http, { origins, client, accessToken: 'a b', subjectId: 'ada', now })).toBe(done);
    expect(asked[0]?.url).toBe('https://token.test/oauth/revoke?access_token=a+b');
  });

  it('asks who the person is, and has no answer but a whole one', async () => {
    const { http, asked } = saying(200, { id: 'person', email: 'x' });
    expect(await ouraOAuth.subject(http, { origins, accessToken: 'a' })).toBe('person');
    expect(asked[0]).toMatchObject({ url: 'https://api.test/v2/usercollection/personal_info', headers: { authorization: 'Bearer a' } });
    for (const [status, body] of [
      [401, {}],
      [200, {}],
      [200, { id: 5 }],
      [200, 'x'],
    ] as const) {
      await expect(ouraOAuth.subject(saying(status, body).http, { origins, accessToken: 'a' })).rejects.toThrow(ProviderUnreachable);
    }
  });
});
