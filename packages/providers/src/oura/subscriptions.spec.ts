import { describe, expect, it } from '@jest/globals';
import type { ProviderReply } from '../provider.js';
import { ouraSubscriptions } from './subscriptions.js';

const origins = { api: 'https://api.test', authorize: 'https://cloud.test', token: 'https://token.test' };
const client = { clientId: 'id', clientSecret: 'secret' };
const now = Date.parse('2026-11-30T00:00:00Z');
const callbackUrl = 'https://in.test/in/oura/key';
const ensure = (http: Parameters<typeof ouraSubscriptions.ensure>[0]) =>
  ouraSubscriptions.ensure(http, { origins, client, callbackUrl, verificationToken: 'token', now });

type Subscription = { id: string; callback_url: string; event_type: string; data_type: string; expiration_time: string };

/** Oura's subscriptions in memory. */
function oura(held: Subscription[], createStatus = 201) {
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
        return reply(createStatus);
      }
      return reply(200);
    },
  };
  return { http, held, changes };
}

describe("Oura's subscriptions", () => {
  it('makes one for each event and collection, and none the second time', async () => {
    const { http, held, changes } = oura([]);
    expect(await ensure(http)).toEqual({ created: 6, renewed: 0, present: 0 });
    expect(held.map((one) => `${one.event_type} ${one.data_type}`).sort()).toEqual([
      'create daily_activity',
      'create sleep',
      'delete daily_activity',
      'delete sleep',
      'update daily_activity',
      'update sleep',
    ]);
    changes.length = 0;
    expect(await ensure(http)).toEqual({ created: 0, renewed: 0, present: 6 });
    expect(changes).toEqual([]);
  });

  it('renews what lapses within a fortnight and leads an old address to the new one', async () => {
    const { http, held, changes } = oura([]);
    await ensure(http);
    Object.assign(held[0] as Subscription, { id: 'lapsing', expiration_time: '2026-12-10T00:00:00.000000' });
    Object.assign(held[1] as Subscription, { id: 'elsewhere', callback_url: 'https://old.test' });
    changes.length = 0;
    expect(await ensure(http)).toEqual({ created: 0, renewed: 2, present: 4 });
    expect(changes.sort()).toEqual(['PUT /elsewhere', 'PUT /renew/lapsing']);
  });

  it('takes 409 as being there, and any other refusal as a failure', async () => {
    expect(await ensure(oura([], 409).http)).toEqual({ created: 0, renewed: 0, present: 6 });
    await expect(ensure(oura([], 400).http)).rejects.toThrow('subscription_create_http_400');
  });

  it('a list that cannot be read is a failure, so that nothing is made twice', async () => {
    const http = { send: async () => ({ status: 200, headers: {}, body: Buffer.from('{"a":1}') }) };
    await expect(ensure(http)).rejects.toThrow('subscription_list_malformed');
  });
});
