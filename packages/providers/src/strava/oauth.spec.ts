import { describe, expect, it } from '@jest/globals';
import { scriptedHttp, testOrigins as origins } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { stravaOAuth } from './oauth.js';

const client = { clientId: 'id', clientSecret: 's:cret' };
const now = 1_000_000;
const redirectUri = 'https://us/cb';
const invalid = (resource: string) => ({ message: 'Bad Request', errors: [{ resource, field: 'x', code: 'invalid' }] });

describe("Strava's OAuth", () => {
  it('leads a person to consent, scopes with commas between them', () => {
    const url = new URL(stravaOAuth.authorizeUrl({ origins, clientId: 'id', redirectUri, state: 'st', scopes: stravaOAuth.scopes }));
    expect(url.origin + url.pathname).toBe('https://consent.test/oauth/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id',
      redirect_uri: redirectUri,
      approval_prompt: 'auto',
      scope: 'read,activity:read,activity:read_all,profile:read_all',
      state: 'st',
    });
  });

  it('knows what was granted by the address that the person came back to', async () => {
    const reply = { body: { access_token: 'a', refresh_token: 'r', expires_in: 21_600, expires_at: 22_600 } };
    const exchange = (more: object) =>
      stravaOAuth.exchange(scriptedHttp(reply).http, { origins, client, code: 'c', redirectUri, now, ...more });
    expect(await exchange({ grantedScope: 'read,activity:read' })).toEqual({
      is: 'granted',
      grant: { accessToken: 'a', refreshToken: 'r', expiresAt: now + 21_600_000, scopes: ['read', 'activity:read'] },
    });
    expect(await exchange({ grantedScope: '' })).toMatchObject({ grant: { scopes: [] } });
    expect(await exchange({})).toMatchObject({ grant: { scopes: stravaOAuth.scopes } });
  });

  it('refreshes with everything in the body, and takes the new refresh token', async () => {
    const { http, asked } = scriptedHttp({ body: { access_token: 'a2', refresh_token: 'r2', expires_in: 60 } });
    expect(await stravaOAuth.refresh(http, { origins, client, refreshToken: 'r1', now })).toMatchObject({
      is: 'granted',
      grant: { refreshToken: 'r2', expiresAt: now + 60_000 },
    });
    expect(asked[0]?.url).toBe('https://token.test/oauth/token');
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r1',
      client_id: 'id',
      client_secret: 's:cret',
    });
  });

  it.each([
    [400, invalid('RefreshToken'), { is: 'invalid-grant' }],
    [400, invalid('AuthorizationCode'), { is: 'invalid-grant' }],
    [401, invalid('Application'), { is: 'transient', code: 'token_http_401' }],
    [400, { errors: 'private' }, { is: 'transient', code: 'token_http_400' }],
    [429, invalid('RefreshToken'), { is: 'transient', code: 'token_http_429' }],
  ])('tells a dead grant from a wrong secret: %i %j', async (status, body, outcome) => {
    const { http } = scriptedHttp({ status, body });
    expect(await stravaOAuth.refresh(http, { origins, client, refreshToken: 'r', now })).toEqual(outcome);
  });

  it('gives a token back as the client, by Basic', async () => {
    const { http, asked } = scriptedHttp({ status: 200 });
    expect(await stravaOAuth.revoke(http, { origins, client, accessToken: 'a', subjectId: '7', now })).toBe(true);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://token.test/oauth/revoke',
      body: 'token=a&token_type_hint=access_token',
    });
    expect(Buffer.from(asked[0]?.headers?.['authorization']?.slice(6) ?? '', 'base64').toString()).toBe('id:s%3Acret');
  });

  it('names the athlete by their number', async () => {
    const { http, asked } = scriptedHttp({ body: { id: 90_417_733 } });
    expect(await stravaOAuth.subject(http, { origins, accessToken: 'a' })).toBe('90417733');
    expect(asked[0]?.url).toBe('https://api.test/api/v3/athlete');
    await expect(stravaOAuth.subject(scriptedHttp({ status: 401 }).http, { origins, accessToken: 'a' })).rejects.toThrow(
      new ProviderUnreachable('http_401'),
    );
    await expect(stravaOAuth.subject(scriptedHttp({ body: { id: 'x' } }).http, { origins, accessToken: 'a' })).rejects.toThrow(
      new ProviderUnreachable('athlete_without_id'),
    );
  });
});
