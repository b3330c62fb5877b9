import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type ProviderReply, ProviderUnreachable } from '../provider.js';
import { withingsOAuth } from './oauth.js';
import { withingsSubscriptions } from './subscriptions.js';

const origins = { api: 'https://api.test', authorize: 'https://account.test', token: 'https://token.test' };
const client = { clientId: 'id', clientSecret: 's&cret' };
const now = 1_789_000_000_500;

function saying(...replies: (object | string | Error)[]) {
  const asked: Record<string, string>[] = [];
  const http = {
    async send({ url, body }: { url: string; body?: string }): Promise<ProviderReply> {
      asked.push({ url, ...Object.fromEntries(new URLSearchParams(body)) });
      const next = replies.shift();
      if (next === undefined) throw new Error('asked too often');
      if (next instanceof Error) throw next;
      return { status: 200, headers: {}, body: Buffer.from(typeof next === 'string' ? next : JSON.stringify(next)) };
    },
  };
  return { http, asked };
}
const refresh = (...replies: (object | string | Error)[]) =>
  withingsOAuth.refresh(saying(...replies).http, { origins, client, refreshToken: 'r', now });

describe("Withings' OAuth", () => {
  it('leads a person to consent, scopes parted by commas', () => {
    const url = new URL(
      withingsOAuth.authorizeUrl({
        origins,
        clientId: 'id',
        redirectUri: 'https://us/cb',
        state: 'st',
        scopes: ['user.info', 'user.metrics'],
      }),
    );
    expect(url.origin + url.pathname).toBe('https://account.test/oauth2_user/authorize2');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id',
      redirect_uri: 'https://us/cb',
      scope: 'user.info,user.metrics',
      state: 'st',
    });
  });

  it('exchanges a code for tokens that name their person', async () => {
    const body = { userid: 38_291_047, access_token: 'a', refresh_token: 'r', expires_in: 10_800, scope: 'user.info,user.metrics' };
    const { http, asked } = saying({ status: 0, body });
    expect(await withingsOAuth.exchange(http, { origins, client, code: 'c', redirectUri: 'https://us/cb', now })).toEqual({
      is: 'granted',
      grant: {
        accessToken: 'a',
        refreshToken: 'r',
        expiresAt: now + 10_800_000,
        scopes: ['user.info', 'user.metrics'],
        subjectId: '38291047',
      },
    });
    expect(asked).toEqual([
      {
        url: 'https://token.test/v2/oauth2',
        action: 'requesttoken',
        client_id: 'id',
        client_secret: 's&cret',
        grant_type: 'authorization_code',
        code: 'c',
        redirect_uri: 'https://us/cb',
      },
    ]);
  });

  it('keeps the refresh token where the answer has none', async () => {
    expect(await refresh({ status: 0, body: { access_token: 'a', userid: '7' } })).toEqual({
      is: 'granted',
      grant: { accessToken: 'a', refreshToken: undefined, expiresAt: now + 10_800_000, scopes: [...withingsOAuth.scopes], subjectId: '7' },
    });
  });

  it.each([
    [{ status: 503, body: {}, error: 'Invalid Params: invalid refresh_token' }, { is: 'invalid-grant' }],
    [{ status: 401, body: {}, error: 'XRequestID: invalid refresh token' }, { is: 'invalid-grant' }],
    [
      { status: 503, body: {}, error: 'Invalid Params: invalid client_id or client_secret' },
      { is: 'transient', code: 'token_status_503' },
    ],
    [
      { status: 401, body: {} },
      { is: 'transient', code: 'token_status_401' },
    ],
    [
      { status: 601, body: {} },
      { is: 'transient', code: 'token_status_601' },
    ],
    [
      { status: 0, body: {} },
      { is: 'transient', code: 'token_reply_malformed' },
    ],
    ['<html>', { is: 'transient', code: 'body_no_json' }],
    [new ProviderUnreachable('timeout'), { is: 'transient', code: 'timeout' }],
  ])('ends a grant only where the grant itself is refused (%#)', async (said, outcome) => {
    expect(await refresh(said)).toEqual(outcome);
  });

  it('revokes by the id of the person in a signed call, with a nonce of its own', async () => {
    const sign = (text: string) => createHmac('sha256', 's&cret').update(text).digest('hex');
    const revoke = (...replies: (object | string | Error)[]) => {
      const { http, asked } = saying(...replies);
      return { asked, done: withingsOAuth.revoke(http, { origins, client, accessToken: 'a', subjectId: '38291047', now }) };
    };
    const nonce = { status: 0, body: { nonce: 'n' } };
    const { asked, done } = revoke(nonce, { status: 0, body: {} });
    expect(await done).toBe(true);
    expect(asked).toEqual([
      {
        url: 'https://token.test/v2/signature',
        action: 'getnonce',
        client_id: 'id',
        timestamp: '1789000000',
        signature: sign('getnonce,id,1789000000'),
      },
      {
        url: 'https://token.test/v2/oauth2',
        action: 'revoke',
        client_id: 'id',
        nonce: 'n',
        signature: sign('revoke,id,n'),
        userid: '38291047',
      },
    ]);
    expect(await revoke(nonce, { status: 247, body: {} }).done).toBe(true);
    expect(await revoke(nonce, { status: 503, body: {} }).done).toBe(false);
    expect(await revoke({ status: 503, body: {} }).done).toBe(false);
    expect(await revoke(new ProviderUnreachable('reset')).done).toBe(false);
  });

  it('knows of a token only whether it is honoured', async () => {
    const subject = (said: object | string) => withingsOAuth.subject(saying(said).http, { origins, accessToken: 'a' });
    expect(await subject({ status: 0, body: { devices: [] } })).toBeUndefined();
    await expect(subject({ status: 401, body: {} })).rejects.toMatchObject({ code: 'http_401' });
    await expect(subject({ status: 601, body: {} })).rejects.toMatchObject({ code: 'withings_601' });
    await expect(subject('<html>')).rejects.toBeInstanceOf(ProviderUnreachable);
  });
});

describe("Withings' subscriptions", () => {
  const profile = (appli: number, callbackurl = 'https://us/in') => ({ appli, callbackurl, expires: 2_147_483_647 });
  const ensure = (...replies: (object | string)[]) => {
    const { http, asked } = saying(...replies);
    return { asked, done: withingsSubscriptions.ensureForPerson?.(http, { origins, accessToken: 'a', callbackUrl: 'https://us/in' }) };
  };

  it('are asked for where they are missing or lead elsewhere', async () => {
    const ok = { status: 0, body: {} };
    const profiles = [profile(1), profile(44, 'https://old/in'), profile(4)];
    const { asked, done } = ensure({ status: 0, body: { profiles } }, ok, ok, ok, ok);
    expect(await done).toEqual({ created: 4, renewed: 0, present: 2 });
    expect(asked.map(({ url, action, appli, callbackurl }) => [url, action, appli, callbackurl])).toEqual([
      ['https://api.test/notify', 'list', undefined, undefined],
      ...['2', '16', '44', '46'].map((appli) => ['https://api.test/notify', 'subscribe', appli, 'https://us/in']),
    ]);
  });

  it('are not asked for where the scope is missing, and any other refusal is told', async () => {
    const listed = { status: 0, body: { profiles: [1, 2, 4, 16, 44].map((appli) => profile(appli)) } };
    expect(await ensure(listed, { status: 403, body: {} }).done).toEqual({ created: 0, renewed: 0, present: 5 });
    await expect(ensure(listed, { status: 293, body: {} }).done).rejects.toMatchObject({ code: 'subscription_create_status_293' });
    await expect(ensure({ status: 401, body: {} }).done).rejects.toMatchObject({ code: 'http_401' });
    await expect(ensure('<html>').done).rejects.toBeInstanceOf(ProviderUnreachable);
  });

  it('are nothing that an app could ask for', async () => {
    const input = { origins, client, callbackUrl: 'https://us/in', verificationToken: 'v', now };
    expect(await withingsSubscriptions.ensure(saying().http, input)).toEqual({ created: 0, renewed: 0, present: 0 });
  });
});
