import { describe, expect, it } from '@jest/globals';
import { scriptedHttp } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { googleOAuth } from './oauth.js';

const origins = { api: 'https://api.test', authorize: 'https://a.test', token: 'https://t.test' };
const client = { clientId: 'id', clientSecret: 's&cret' };
const now = 1_000_000;
const granted = { access_token: 'at', expires_in: 3599, scope: googleOAuth.scopes.join(' '), token_type: 'Bearer' };

describe('consenting at Google', () => {
  it('asks for a refresh token every time, without which a second consent brings none', () => {
    const url = new URL(
      googleOAuth.authorizeUrl({ origins, clientId: 'id', redirectUri: 'https://we.test/cb', state: 'st', scopes: ['a', 'b'] }),
    );
    expect(url.origin + url.pathname).toBe('https://a.test/o/oauth2/v2/auth');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id',
      redirect_uri: 'https://we.test/cb',
      scope: 'a b',
      state: 'st',
      access_type: 'offline',
      prompt: 'consent',
    });
  });

  it('makes a code a grant, with the scopes that were agreed to and no others', async () => {
    const { http, asked } = scriptedHttp({ body: { ...granted, refresh_token: 'rt', scope: googleOAuth.scopes[1] } });
    expect(await googleOAuth.exchange(http, { origins, client, code: 'c/1', redirectUri: 'https://we.test/cb', now })).toEqual({
      is: 'granted',
      grant: { accessToken: 'at', refreshToken: 'rt', expiresAt: now + 3_599_000, scopes: [googleOAuth.scopes[1]] },
    });
    expect(asked[0]?.url).toBe('https://t.test/token');
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'c/1',
      redirect_uri: 'https://we.test/cb',
      client_id: 'id',
      client_secret: 's&cret',
    });
  });

  it('refreshes with a token that stays, and knows a worthless one from a wrong client', async () => {
    const { http } = scriptedHttp(
      { body: granted },
      { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } },
      { status: 401, body: { error: 'invalid_client' } },
    );
    const refresh = () => googleOAuth.refresh(http, { origins, client, refreshToken: 'rt', now });
    expect(await refresh()).toMatchObject({ is: 'granted', grant: { refreshToken: undefined } });
    expect(await refresh()).toEqual({ is: 'invalid-grant' });
    expect(await refresh()).toEqual({ is: 'transient', code: 'token_http_401' });
  });

  it('revokes in a form, never in an address that somebody logs', async () => {
    const { http, asked } = scriptedHttp({}, { status: 400, body: { error: 'invalid_token' } }, { status: 503 });
    const revoke = () => googleOAuth.revoke(http, { origins, client, accessToken: 'a+t', subjectId: 'u', now });
    expect(await revoke()).toBe(true);
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'https://t.test/revoke', body: 'token=a%2Bt' });
    expect(await revoke()).toBe(true);
    expect(await revoke()).toBe(false);
  });

  it('names the person by the id that webhooks carry, not by the one of the old Fitbit API', async () => {
    const { http, asked } = scriptedHttp(
      { body: { name: 'users/me/identity', legacyUserId: '9ABC2D', healthUserId: '7203998815540021993' } },
      { body: { legacyUserId: '9ABC2D' } },
      { status: 401 },
    );
    const subject = () => googleOAuth.subject(http, { origins, accessToken: 'at' });
    expect(await subject()).toBe('7203998815540021993');
    expect(asked[0]).toMatchObject({ url: 'https://api.test/v4/users/me/identity', headers: { authorization: 'Bearer at' } });
    await expect(subject()).rejects.toThrow(new ProviderUnreachable('identity_without_id'));
    await expect(subject()).rejects.toThrow(new ProviderUnreachable('http_401'));
  });
});
