import { describe, expect, it } from '@jest/globals';
import { type Said, scriptedHttp, testOrigins as origins } from '../../testing/scripted-http.js';
import { ProviderUnreachable } from '../provider.js';
import { polarSubscriptions } from './subscriptions.js';

const callbackUrl = 'https://us/in/polar/k';
const events = ['EXERCISE', 'SLEEP', 'ACTIVITY_SUMMARY', 'CONTINUOUS_HEART_RATE', 'PHYSICAL_INFORMATION'];
const held = (more: object = {}): Said => ({ body: { data: [{ id: 'w1', events, url: callbackUrl, active: true, ...more }] } });
const key: Said = { status: 201, body: { data: { id: 'w2', events, url: callbackUrl, signature_secret_key: 'key' } } };

function mend(knowsWebhookSecret: boolean, ...replies: (Said | Error)[]) {
  const { http, asked } = scriptedHttp(...replies);
  const client = { clientId: 'id', clientSecret: 's' };
  const input = { origins, client, callbackUrl, verificationToken: 'v', knowsWebhookSecret, onlyMend: true, now: 0 };
  return { done: polarSubscriptions.ensure(http, input), methods: () => asked.map(({ method }) => method) };
}

describe("Polar's webhook, when nobody asked for it just now", () => {
  it('that Polar switched off is switched on, and counts as lapsed', async () => {
    const { done, methods } = mend(true, held({ active: false }), {});
    expect(await done).toEqual({ created: 0, renewed: 1, present: 0, lapsed: 1 });
    expect(methods()).toEqual(['GET', 'POST']);
  });

  it('that leads elsewhere stays there, whether or not we have a key', async () => {
    for (const knows of [true, false]) {
      const { done, methods } = mend(knows, held({ url: 'https://them/hook' }));
      await expect(done).rejects.toThrow(new ProviderUnreachable('subscription_elsewhere'));
      expect(methods()).toEqual(['GET']);
    }
  });

  it('that leads to this app at an old host is led to the new one', async () => {
    const { done, methods } = mend(true, held({ url: 'https://old/in/polar/k' }), {});
    expect(await done).toEqual({ created: 0, renewed: 1, present: 0 });
    expect(methods()).toEqual(['GET', 'PATCH']);
  });

  it('that is gone is made, and its key handed on', async () => {
    expect(await mend(true, { body: { data: [] } }, key).done).toEqual({ created: 1, renewed: 0, present: 0, secret: 'key' });
  });

  it.each([
    ['no answer', new ProviderUnreachable('timeout')],
    ['a fault of theirs', { status: 502 }],
    ['an answer without a key', { status: 201, body: { data: {} } }],
    ['an answer that is not JSON', { status: 201, body: '<html>' }],
  ])('whose making ends in %s may have a key that nobody has', async (_what, reply) => {
    await expect(mend(false, { body: { data: [] } }, reply).done).rejects.toMatchObject({ code: 'subscription_key_lost' });
  });
});
