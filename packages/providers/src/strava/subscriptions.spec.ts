import { describe, expect, it } from '@jest/globals';
import { type Said, scriptedHttp, testOrigins as origins } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { stravaSubscriptions } from './subscriptions.js';

const client = { clientId: 'id', clientSecret: 's' };
const callbackUrl = 'https://us/in/strava/k';
const url = 'https://api.test/api/v3/push_subscriptions';

const ensured = (...replies: (Said | Error)[]) => asking({}, ...replies);

async function asking(more: { onlyMend?: true }, ...replies: (Said | Error)[]) {
  const { http, asked } = scriptedHttp(...replies);
  const count = await stravaSubscriptions.ensure(http, { origins, client, callbackUrl, verificationToken: 'vt', now: 0, ...more });
  return { count, asked: asked.map(({ method, url: to }) => `${method} ${to}`), body: asked.at(-1)?.body };
}

describe("Strava's one subscription", () => {
  it('is made when there is none', async () => {
    const { count, asked, body } = await ensured({ body: [] }, { status: 201, body: { id: 310_000 } });
    expect(count).toEqual({ created: 1, renewed: 0, present: 0 });
    expect(asked).toEqual([`GET ${url}?client_id=id&client_secret=s`, `POST ${url}`]);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      client_id: 'id',
      client_secret: 's',
      callback_url: callbackUrl,
      verify_token: 'vt',
    });
  });

  it('is left as it is when it is right', async () => {
    const { count, asked } = await ensured({ body: [{ id: 1, callback_url: callbackUrl }] });
    expect(count).toEqual({ created: 0, renewed: 0, present: 1 });
    expect(asked).toHaveLength(1);
  });

  it.each([204, 404])('is ended (%i) and made anew when it leads elsewhere', async (status) => {
    const { count, asked } = await ensured({ body: [{ id: 1, callback_url: 'https://old' }] }, { status }, { status: 201 });
    expect(count).toEqual({ created: 0, renewed: 1, present: 0 });
    expect(asked[1]).toBe(`DELETE ${url}/1?client_id=id&client_secret=s`);
  });

  it('stays where somebody led it unless somebody asks; one of this app at an old host is led to the new one', async () => {
    const elsewhere = asking({ onlyMend: true }, { body: [{ id: 1, callback_url: 'https://them/hook' }] });
    await expect(elsewhere).rejects.toThrow(new ProviderUnreachable('subscription_elsewhere'));
    const moved = await asking(
      { onlyMend: true },
      { body: [{ id: 1, callback_url: 'https://old/in/strava/k' }] },
      { status: 204 },
      { status: 201 },
    );
    expect(moved.count).toEqual({ created: 0, renewed: 1, present: 0 });
  });

  it.each([
    [[{ status: 401 }], 'subscription_list_http_401'],
    [[{ body: 'private' }], 'subscription_list_malformed'],
    [[{ body: {} }], 'subscription_list_malformed'],
    [[{ body: [] }, { status: 400 }], 'subscription_create_http_400'],
    [[{ body: [{ id: 1 }] }, { status: 500 }], 'subscription_delete_http_500'],
    [[new ProviderUnreachable('timeout')], 'timeout'],
  ])('fails in so many words: %j', async (replies, code) => {
    await expect(ensured(...(replies as Said[]))).rejects.toThrow(new ProviderUnreachable(code));
  });
});
