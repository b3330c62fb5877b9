import { describe, expect, it } from '@jest/globals';
import { scriptedHttp, testOrigins as origins } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { whoopOAuth } from './oauth.js';
import { whoop } from './provider.js';

const client = { clientId: 'id', clientSecret: 's&cret' };
const now = 1_000_000;
const formOf = (asked: { body?: string }[]) => Object.fromEntries(new URLSearchParams(asked[0]?.body));

describe("WHOOP's OAuth", () => {
  it('leads a person to consent, and asks for a refresh token by a scope', () => {
    const url = new URL(
      whoopOAuth.authorizeUrl({ origins, clientId: 'id', redirectUri: 'https://us/cb', state: 'state-1', scopes: whoopOAuth.scopes }),
    );
    expect(url.origin + url.pathname).toBe('https://consent.test/oauth/oauth2/auth');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id',
      redirect_uri: 'https://us/cb',
      scope: 'offline read:profile read:cycles read:sleep read:recovery read:workout read:body_measurement',
      state: 'state-1',
    });
  });

  it('exchanges a code', async () => {
    const { http, asked } = scriptedHttp({
      body: { access_token: 'a', refresh_token: 'r', expires_in: 3600, scope: 'offline read:sleep' },
    });
    expect(await whoopOAuth.exchange(http, { origins, client, code: 'c', redirectUri: 'https://us/cb', now })).toEqual({
      is: 'granted',
      grant: { accessToken: 'a', refreshToken: 'r', expiresAt: now + 3_600_000, scopes: ['offline', 'read:sleep'] },
    });
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'https://token.test/oauth/oauth2/token' });
    expect(formOf(asked as { body?: string }[])).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'https://us/cb',
      client_id: 'id',
      client_secret: 's&cret',
    });
  });

  it('asks for the next refresh token with every refresh', async () => {
    const { http, asked } = scriptedHttp({ body: { access_token: 'a2', refresh_token: 'r2' } });
    expect(await whoopOAuth.refresh(http, { origins, client, refreshToken: 'r1', now })).toMatchObject({
      is: 'granted',
      grant: { accessToken: 'a2', refreshToken: 'r2', expiresAt: now + 3_600_000 },
    });
    expect(formOf(asked as { body?: string }[])).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r1', scope: 'offline' });
  });

  it.each([
    [400, { error: 'invalid_grant' }, { is: 'invalid-grant' }],
    [401, { error: 'token_inactive' }, { is: 'invalid-grant' }],
    [400, { error: 'invalid_request' }, { is: 'transient', code: 'token_http_400' }],
    [401, { error: 'invalid_client' }, { is: 'transient', code: 'token_http_401' }],
    [429, {}, { is: 'transient', code: 'token_http_429' }],
    [200, { token_type: 'bearer' }, { is: 'transient', code: 'token_reply_malformed' }],
    [502, '<html>', { is: 'transient', code: 'token_http_502' }],
  ])('knows a dead grant from a passing fault: %i %j', async (status, body, outcome) => {
    const { http } = scriptedHttp({ status, body });
    expect(await whoopOAuth.refresh(http, { origins, client, refreshToken: 'r', now })).toEqual(outcome);
  });

  it.each([
    [204, true],
    [401, true],
    [500, false],
  ])('ends its access, which answers %i', async (status, done) => {
    const { http, asked } = scriptedHttp({ status });
    expect(await whoopOAuth.revoke(http, { origins, client, accessToken: 'a', subjectId: '7', now })).toBe(done);
    expect(asked[0]).toEqual({
      method: 'DELETE',
      url: 'https://api.test/developer/v2/user/access',
      headers: { authorization: 'Bearer a' },
    });
  });

  it('has not ended its access when WHOOP cannot be reached', async () => {
    const { http } = scriptedHttp(new ProviderUnreachable('timeout'));
    expect(await whoopOAuth.revoke(http, { origins, client, accessToken: 'a', subjectId: '7', now })).toBe(false);
  });

  it('names the person by their number', async () => {
    const { http, asked } = scriptedHttp({ body: { user_id: 4417301, email: 'x@example.test' } });
    expect(await whoopOAuth.subject(http, { origins, accessToken: 'a' })).toBe('4417301');
    expect(asked[0]?.url).toBe('https://api.test/developer/v2/user/profile/basic');
  });

  it.each([
    [{ status: 401 }, 'http_401'],
    [{ body: { user_id: '4417301' } }, 'profile_without_user_id'],
    [{ body: { user_id: 2 ** 53 } }, 'profile_without_user_id'],
    [{ body: 'nothing' }, 'profile_without_user_id'],
  ])('does not guess who somebody is: %j', async (said, code) => {
    await expect(whoopOAuth.subject(scriptedHttp(said).http, { origins, accessToken: 'a' })).rejects.toThrow(new ProviderUnreachable(code));
  });

  it('has webhooks that are set up by hand, and asks nobody', async () => {
    const { http, asked } = scriptedHttp();
    const input = { origins, client, callbackUrl: 'https://us/in/whoop/k', verificationToken: 'v', now };
    expect(await whoop.subscriptions.ensure(http, input)).toEqual({ created: 0, renewed: 0, present: 0 });
    expect(asked).toEqual([]);
  });
});
