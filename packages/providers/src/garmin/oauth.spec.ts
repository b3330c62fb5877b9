import { describe, expect, it } from '@jest/globals';
import { scriptedHttp, testOrigins as origins } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { garminOAuth } from './oauth.js';

const client = { clientId: 'id', clientSecret: 'secret' };
const now = 1_000_000;
const granted = { access_token: 'at', refresh_token: 'rt2', expires_in: 86_400, scope: 'PARTNER_WRITE PARTNER_READ CONNECT_READ' };

describe('consenting at Garmin', () => {
  it('gives the consent page the challenge, and the token endpoint its verifier', async () => {
    const ask = { origins, clientId: 'id', redirectUri: 'https://we.test/cb', state: 'st', scopes: [], codeChallenge: 'ch' };
    const url = new URL(garminOAuth.authorizeUrl(ask));
    expect(url.origin + url.pathname).toBe('https://consent.test/oauth2Confirm');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id',
      redirect_uri: 'https://we.test/cb',
      state: 'st',
      code_challenge: 'ch',
      code_challenge_method: 'S256',
    });
    const { http, asked } = scriptedHttp({ body: granted }, { body: ['ACTIVITY_EXPORT', 'HISTORICAL_DATA_EXPORT'] });
    const input = { origins, client, code: 'c', redirectUri: 'https://we.test/cb', codeVerifier: 'v', now };
    // What the person ticked, and not the `scope` of the answer.
    expect(await garminOAuth.exchange(http, input)).toEqual({
      is: 'granted',
      grant: { accessToken: 'at', refreshToken: 'rt2', expiresAt: now + 86_400_000, scopes: ['ACTIVITY_EXPORT', 'HISTORICAL_DATA_EXPORT'] },
    });
    expect(asked.map(({ url }) => url)).toEqual([
      'https://token.test/di-oauth2-service/oauth/token',
      'https://api.test/wellness-api/rest/user/permissions',
    ]);
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toMatchObject({
      code: 'c',
      code_verifier: 'v',
      client_secret: 'secret',
    });
  });

  it('goes on without the permissions where they cannot be had: the code is spent by then', async () => {
    for (const later of [{ status: 500 }, { body: '<html>' }, new ProviderUnreachable('timeout')]) {
      const { http } = scriptedHttp({ body: granted }, later);
      const input = { origins, client, code: 'c', redirectUri: 'r', codeVerifier: 'v', now };
      expect(await garminOAuth.exchange(http, input)).toMatchObject({ is: 'granted', grant: { scopes: garminOAuth.scopes } });
    }
  });

  it('refreshes to a new refresh token', async () => {
    const { http } = scriptedHttp({ body: granted }, { status: 400, body: { error: 'invalid_grant' } });
    const refresh = () => garminOAuth.refresh(http, { origins, client, refreshToken: 'rt', now });
    expect(await refresh()).toMatchObject({ is: 'granted', grant: { refreshToken: 'rt2' } });
    expect(await refresh()).toEqual({ is: 'invalid-grant' });
  });

  it('ends the registration, and names the person by the id that never changes', async () => {
    const { http, asked } = scriptedHttp({ status: 204, body: '' }, { body: { userId: 'd33a' } }, { body: {} }, { status: 401 });
    expect(await garminOAuth.revoke(http, { origins, client, accessToken: 'at', subjectId: 'd33a', now })).toBe(true);
    expect(asked[0]).toMatchObject({ method: 'DELETE', url: 'https://api.test/wellness-api/rest/user/registration' });
    const subject = () => garminOAuth.subject(http, { origins, accessToken: 'at' });
    expect(await subject()).toBe('d33a');
    await expect(subject()).rejects.toThrow(new ProviderUnreachable('user_without_id'));
    await expect(subject()).rejects.toThrow(new ProviderUnreachable('http_401'));
  });
});
