import { describe, expect, it } from '@jest/globals';
import { type ProviderReply, ProviderUnreachable } from '../provider.js';
import { polarOAuth } from './oauth.js';
import { polarSubscriptions } from './subscriptions.js';

const origins = { api: 'https://api.test', authorize: 'https://flow.test', token: 'https://token.test' };
const client = { clientId: 'id', clientSecret: 's:c' };
const basic = `Basic ${Buffer.from('id:s%3Ac').toString('base64')}`;
const now = 1_000_000;

type Said = { status?: number; body?: unknown } | Error;

function saying(...replies: Said[]) {
  const asked: { method: string; url: string; authorization?: string; body?: string }[] = [];
  const http = {
    async send({
      method,
      url,
      headers,
      body,
    }: {
      method: string;
      url: string;
      headers?: Readonly<Record<string, string>>;
      body?: string;
    }): Promise<ProviderReply> {
      asked.push({ method, url, authorization: headers?.['authorization'] ?? '', ...(body === undefined ? {} : { body }) });
      const next = replies.shift();
      if (next === undefined) throw new Error('asked too often');
      if (next instanceof Error) throw next;
      return {
        status: next.status ?? 200,
        headers: {},
        body: Buffer.from(typeof next.body === 'string' ? next.body : JSON.stringify(next.body ?? {})),
      };
    },
  };
  return { http, asked };
}
const token = { body: { access_token: 'a', token_type: 'bearer', expires_in: 315_359_999, x_user_id: 47_510_042 } };
const exchange = (...replies: Said[]) => {
  const { http, asked } = saying(...replies);
  return { asked, done: polarOAuth.exchange(http, { origins, client, code: 'c', redirectUri: 'https://us/cb', now }) };
};

describe("Polar's OAuth", () => {
  it('leads a person to consent', () => {
    const url = new URL(
      polarOAuth.authorizeUrl({ origins, clientId: 'id', redirectUri: 'https://us/cb', state: 'st', scopes: polarOAuth.scopes }),
    );
    expect(url.origin + url.pathname).toBe('https://flow.test/oauth2/authorization');
    expect(url.searchParams.get('scope')).toBe('accesslink.read_all');
    expect(url.searchParams.get('state')).toBe('st');
  });

  it('exchanges a code by Basic, and registers the person, whom the answer names', async () => {
    const { asked, done } = exchange(token, { status: 200 });
    expect(await done).toEqual({
      is: 'granted',
      grant: {
        accessToken: 'a',
        refreshToken: undefined,
        expiresAt: now + 315_359_999_000,
        scopes: ['accesslink.read_all'],
        subjectId: '47510042',
      },
    });
    expect(asked).toEqual([
      {
        method: 'POST',
        url: 'https://token.test/v2/oauth2/token',
        authorization: basic,
        body: 'grant_type=authorization_code&code=c&redirect_uri=https%3A%2F%2Fus%2Fcb',
      },
      { method: 'POST', url: 'https://api.test/v3/users', authorization: 'Bearer a', body: '{"member-id":"tributary-47510042"}' },
    ]);
  });

  it('a person who was registered before is welcome, and one who cannot be is no grant', async () => {
    expect((await exchange(token, { status: 409 }).done).is).toBe('granted');
    expect(await exchange(token, { status: 403 }).done).toEqual({ is: 'transient', code: 'register_http_403' });
    expect(await exchange(token, new ProviderUnreachable('reset')).done).toEqual({ is: 'transient', code: 'reset' });
    expect(await exchange({ body: { access_token: 'a' } }).done).toEqual({ is: 'transient', code: 'token_reply_without_user' });
    expect(await exchange({ status: 400, body: { error: 'invalid_grant' } }).done).toEqual({ is: 'invalid-grant' });
    expect(await exchange({ status: 401, body: { error: 'invalid_client' } }).done).toEqual({ is: 'transient', code: 'token_http_401' });
  });

  it('refreshes where there is a refresh token, without registering anew', async () => {
    const { http, asked } = saying({ body: { ...token.body, refresh_token: 'r2' } });
    expect(await polarOAuth.refresh(http, { origins, client, refreshToken: 'r', now })).toMatchObject({
      is: 'granted',
      grant: { refreshToken: 'r2' },
    });
    expect(asked).toMatchObject([{ body: 'grant_type=refresh_token&refresh_token=r' }]);
  });

  it.each([
    [{ status: 204 }, true],
    [{ status: 401 }, true],
    [{ status: 403 }, true],
    [{ status: 404 }, true],
    [{ status: 500 }, false],
    [new ProviderUnreachable('timeout'), false],
  ])('takes the person out of the app (%#)', async (said, done) => {
    const { http, asked } = saying(said);
    expect(await polarOAuth.revoke(http, { origins, client, accessToken: 'a', subjectId: '47510042', now })).toBe(done);
    expect(asked).toEqual([{ method: 'DELETE', url: 'https://api.test/v3/users/47510042', authorization: 'Bearer a' }]);
  });

  it('knows of a token only whether it is honoured', async () => {
    const subject = (status: number) => polarOAuth.subject(saying({ status }).http, { origins, accessToken: 'a' });
    expect([await subject(200), await subject(204), await subject(404)]).toEqual([undefined, undefined, undefined]);
    await expect(subject(401)).rejects.toMatchObject({ code: 'http_401' });
    await expect(subject(503)).rejects.toMatchObject({ code: 'http_503' });
  });
});

describe("Polar's webhook", () => {
  const all = ['EXERCISE', 'SLEEP', 'ACTIVITY_SUMMARY', 'CONTINUOUS_HEART_RATE', 'PHYSICAL_INFORMATION'];
  const held = (more: object = {}) => ({ body: { data: [{ id: 'w 1', events: all, url: 'https://us/in', active: true, ...more }] } });
  const created = { status: 201, body: { data: { id: 'w2', events: all, url: 'https://us/in', signature_secret_key: 'key' } } };
  const ensure = (knowsWebhookSecret: boolean, ...replies: Said[]) => {
    const { http, asked } = saying(...replies);
    const input = { origins, client, callbackUrl: 'https://us/in', verificationToken: 'v', knowsWebhookSecret, now };
    return { asked, done: polarSubscriptions.ensure(http, input) };
  };

  it('is made where there is none, and its key handed on', async () => {
    const { asked, done } = ensure(false, { body: { data: [] } }, created);
    expect(await done).toEqual({ created: 1, renewed: 0, present: 0, secret: 'key' });
    expect(asked).toEqual([
      { method: 'GET', url: 'https://api.test/v3/webhooks', authorization: basic },
      {
        method: 'POST',
        url: 'https://api.test/v3/webhooks',
        authorization: basic,
        body: JSON.stringify({ events: all, url: 'https://us/in' }),
      },
    ]);
  });

  it('is left alone where it is right, led to its new address, told more events, switched on again', async () => {
    expect(await ensure(true, held()).done).toEqual({ created: 0, renewed: 0, present: 1 });
    const elsewhere = ensure(true, held({ url: 'https://old/in' }), {});
    expect(await elsewhere.done).toEqual({ created: 0, renewed: 1, present: 0 });
    expect(elsewhere.asked[1]).toMatchObject({ method: 'PATCH', url: 'https://api.test/v3/webhooks/w%201' });
    expect(await ensure(true, held({ events: ['SLEEP'] }), {}).done).toMatchObject({ renewed: 1 });
    const asleep = ensure(true, held({ active: false }), {});
    expect(await asleep.done).toMatchObject({ renewed: 1 });
    expect(asleep.asked[1]).toMatchObject({ method: 'POST', url: 'https://api.test/v3/webhooks/activate' });
  });

  it('whose key we do not have is made anew', async () => {
    const { asked, done } = ensure(false, held(), { status: 204 }, created);
    expect(await done).toEqual({ created: 1, renewed: 0, present: 0, secret: 'key' });
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'POST']);
  });

  it('that somebody else made a moment ago is theirs', async () => {
    expect(await ensure(false, { status: 204 }, { status: 409 }).done).toEqual({ created: 0, renewed: 0, present: 1 });
  });

  it('refusals are told with what was asked', async () => {
    await expect(ensure(true, { status: 401 }).done).rejects.toMatchObject({ code: 'subscription_list_http_401' });
    await expect(ensure(true, { body: '<html>' }).done).rejects.toMatchObject({ code: 'subscription_list_malformed' });
    await expect(ensure(false, { body: { data: [] } }, { status: 400 }).done).rejects.toMatchObject({
      code: 'subscription_create_http_400',
    });
  });
});
