import { describe, expect, it } from '@jest/globals';
import type { ProviderReply } from '../provider.js';
import { announcedCollections } from './collections.js';
import { ouraSubscriptions } from './subscriptions.js';

const origins = { api: 'https://api.test', authorize: 'https://cloud.test', token: 'https://token.test' };
const client = { clientId: 'id', clientSecret: 'secret' };
const now = Date.parse('2026-11-30T00:00:00Z');
const callbackUrl = 'https://in.test/in/oura/key';
const all = announcedCollections.length * 3;
const ensure = (http: Parameters<typeof ouraSubscriptions.ensure>[0], more: { onlyMend?: true } = {}) =>
  ouraSubscriptions.ensure(http, { origins, client, callbackUrl, verificationToken: 'token', now, ...more });

type Subscription = { id: string; callback_url: string; event_type: string; data_type: string; expiration_time: string };

/** Oura's subscriptions in memory. */
function oura(held: Subscription[], { createStatus = 201, renewStatus = 200, refuses = '' } = {}) {
  const changes: string[] = [];
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
      expect(headers).toMatchObject({ 'x-client-id': 'id', 'x-client-secret': 'secret' });
      const reply = (status: number, value: unknown = {}) => ({ status, headers: {}, body: Buffer.from(JSON.stringify(value)) });
      if (method === 'GET') return reply(200, held);
      changes.push(`${method} ${url.slice('https://api.test/v2/webhook/subscription'.length)}`);
      if (method === 'POST') {
        expect(headers).toMatchObject({ 'content-type': 'application/json' });
        const wish = JSON.parse(body ?? '') as Subscription & { verification_token: string };
        expect(wish).toMatchObject({ callback_url: callbackUrl, verification_token: 'token' });
        if (createStatus === 201) held.push({ ...wish, id: `new-${held.length}`, expiration_time: '2027-03-01T00:00:00' });
        if (wish.data_type === refuses) return reply(403);
        return reply(createStatus, createStatus === 201 ? held.at(-1) : {});
      }
      return url.includes('/renew/') ? reply(renewStatus, { expiration_time: '2027-02-28T00:00:00' }) : reply(200);
    },
  };
  return { http, held, changes };
}

describe("Oura's subscriptions", () => {
  it('makes one for each event and collection, and none the second time', async () => {
    const { http, held, changes } = oura([]);
    const ends = Date.parse('2027-03-01T00:00:00Z');
    expect(await ensure(http)).toEqual({ created: all, renewed: 0, present: 0, expiresAt: ends });
    expect(held.map((one) => `${one.event_type} ${one.data_type}`).sort()).toEqual(
      announcedCollections.flatMap((name) => ['create', 'update', 'delete'].map((type) => `${type} ${name}`)).sort(),
    );
    changes.length = 0;
    expect(await ensure(http)).toEqual({ created: 0, renewed: 0, present: all, expiresAt: ends });
    expect(changes).toEqual([]);
  });

  it('renews what lapses within a fortnight and leads an old address to the new one', async () => {
    const { http, held, changes } = oura([]);
    await ensure(http);
    Object.assign(held[0] as Subscription, { id: 'lapsing', expiration_time: '2026-12-10T00:00:00.000000' });
    Object.assign(held[1] as Subscription, { id: 'elsewhere', callback_url: 'https://old.test' });
    changes.length = 0;
    expect(await ensure(http)).toMatchObject({ created: 0, renewed: 2, present: all - 2, expiresAt: Date.parse('2027-02-28T00:00:00Z') });
    expect(changes.sort()).toEqual(['PUT /elsewhere', 'PUT /renew/lapsing']);
  });

  it.each([403, 404])('C017: one that ran out and cannot be renewed (%i) is made anew, and said to have lapsed', async (renewStatus) => {
    const { http, held, changes } = oura([], { renewStatus });
    await ensure(http);
    Object.assign(held[0] as Subscription, { id: 'late', expiration_time: '2026-11-29T23:00:00' });
    changes.length = 0;
    expect(await ensure(http)).toMatchObject({ created: 1, renewed: 0, present: all - 1, lapsed: 1 });
    expect(changes).toEqual(['PUT /renew/late', 'POST ']);
  });

  it('what leads elsewhere stays there unless somebody asks, and is told; the others are kept all the same', async () => {
    const { http, held, changes } = oura([]);
    await ensure(http);
    Object.assign(held[0] as Subscription, { callback_url: 'https://them.test/hook' });
    Object.assign(held[1] as Subscription, { id: 'lapsing', expiration_time: '2026-12-10T00:00:00' });
    Object.assign(held[2] as Subscription, { id: 'moved', callback_url: 'https://old.test/in/oura/key' });
    changes.length = 0;
    await expect(ensure(http, { onlyMend: true })).rejects.toThrow('subscription_elsewhere');
    expect(changes.sort()).toEqual(['PUT /moved', 'PUT /renew/lapsing']);
  });

  it('takes 409 as being there, and any other refusal as a failure, after the others were asked for', async () => {
    expect(await ensure(oura([], { createStatus: 409 }).http)).toEqual({ created: 0, renewed: 0, present: all });
    await expect(ensure(oura([], { createStatus: 400 }).http)).rejects.toThrow('subscription_create_http_400');
    const { http, changes } = oura([], { refuses: announcedCollections[0] as string });
    await expect(ensure(http)).rejects.toThrow('subscription_create_http_403');
    expect(changes).toHaveLength(all);
  });

  it('a list that cannot be read is a failure, so that nothing is made twice', async () => {
    const http = { send: async () => ({ status: 200, headers: {}, body: Buffer.from('{"a":1}') }) };
    await expect(ensure(http)).rejects.toThrow('subscription_list_malformed');
  });
});
