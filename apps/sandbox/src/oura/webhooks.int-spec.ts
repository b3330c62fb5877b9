import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProviderServer, startProviders } from '../../../../test/stand-ins/provider-server.js';
import { type Received, type Receiver, startReceiver } from '../../../../test/stand-ins/receiver-server.js';

interface Sent {
  readonly deliveries: readonly { readonly clientId: string; readonly fate: string; readonly status: number; readonly ms: number }[];
}

interface Log {
  readonly webhooks: readonly { readonly status: number; readonly retry: number; readonly at: number }[];
}

describe('webhooks of the Oura stand-in', () => {
  let oura: ProviderServer;
  let callback: Receiver;
  beforeAll(async () => {
    oura = await startProviders();
  });
  afterAll(() => oura.stop());
  beforeEach(async () => {
    await callback?.stop();
    callback = await startReceiver({
      decide: ({ method, query }) =>
        method === 'GET' ? { do: 'answer', status: 200, body: JSON.stringify({ challenge: query.get('challenge') }) } : undefined,
    });
    await oura.control('DELETE', '/');
    await oura.control('POST', '/apps', { clientId: 'app', clientSecret: 'secret-1' });
    await oura.control('POST', '/people', { subjectId: 'ada' });
    await oura.control('POST', '/people/ada/grants', { clientId: 'app', scopes: ['daily'] });
    for (const event_type of ['create', 'update', 'delete']) await subscribe('app', 'secret-1', event_type, 'daily_activity');
    callback.clear();
  });
  afterAll(() => callback.stop());

  const subscribe = async (clientId: string, secret: string, event_type: string, data_type: string) => {
    const body = { callback_url: `${callback.url}/${clientId}`, verification_token: 'vt', event_type, data_type };
    expect(
      (await oura.call('POST', '/oura/v2/webhook/subscription', body, { 'x-client-id': clientId, 'x-client-secret': secret })).status,
    ).toBe(201);
  };
  const put = (id: string, steps: number, notify?: object | boolean) =>
    oura.control<Sent>('PUT', `/people/ada/documents/daily_activity/${id}`, {
      document: { day: '2026-09-14', steps },
      ...(notify === undefined ? {} : { notify }),
    });
  const send = (order: object = {}) =>
    oura.control<Sent>('POST', '/webhooks', { subjectId: 'ada', collection: 'daily_activity', objectId: 'd1', ...order });
  const log = async () => (await oura.control<Log>('GET', '/webhooks?subjectId=ada')).webhooks;
  const said = (request: Received | undefined) => JSON.parse(request?.body.toString() ?? '') as Record<string, string>;
  const objects = () => callback.received.map((r) => said(r)['object_id']);
  /** Written out here again, from Oura's description and not from our code. */
  const isSignedBy = (secret: string, { headers, body }: Received) =>
    headers['x-oura-signature'] ===
    createHmac('sha256', secret)
      .update(Buffer.concat([Buffer.from(headers['x-oura-timestamp'] ?? ''), body]))
      .digest('hex')
      .toUpperCase();

  it('a change of a document is told to the app that may read it, signed over the bytes sent', async () => {
    const before = Math.floor(Date.now() / 1000);
    const created = await put('d1', 2100, {});
    expect(created.deliveries).toEqual([{ clientId: 'app', fate: 'delivered', status: 204, ms: expect.any(Number) }]);
    await put('d1', 8431, true);
    expect(callback.received.map((r) => said(r)['event_type'])).toEqual(['create', 'update']);
    const [first] = callback.received;
    expect(first).toMatchObject({ method: 'POST', path: '/app', headers: { 'content-type': 'application/json' } });
    expect(Object.keys(said(first))).toEqual(['event_type', 'data_type', 'object_id', 'event_time', 'user_id']);
    expect(said(first)).toMatchObject({
      data_type: 'daily_activity',
      object_id: 'd1',
      user_id: 'ada',
      event_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
    });
    const stamp = Number(first?.headers['x-oura-timestamp']);
    expect(stamp).toBeGreaterThanOrEqual(before);
    expect(stamp).toBeLessThanOrEqual(Date.now() / 1000);
    for (const request of callback.received) expect(isSignedBy('secret-1', request)).toBe(true);
    expect(await oura.control('GET', '/calls?subjectId=ada')).toMatchObject({ webhooksSent: 2 });
  });

  it('a removal is told, and reading then finds nothing', async () => {
    await put('d1', 2100);
    const { deliveries } = await oura.control<Sent>('DELETE', '/people/ada/documents/daily_activity/d1?notify=true');
    expect(deliveries).toHaveLength(1);
    expect(said(callback.received[0])).toMatchObject({ event_type: 'delete', object_id: 'd1' });
    expect(await oura.control('GET', '/people/ada/truth')).toMatchObject({ documents: { daily_activity: [] } });
  });

  it('nothing is told without a subscription, a grant, or the scope', async () => {
    expect((await put('d1', 1)).deliveries).toEqual([]);
    expect(
      (await oura.control<Sent>('PUT', '/people/ada/documents/sleep/s1', { document: { day: '2026-09-14' }, notify: true })).deliveries,
    ).toEqual([]);
    await oura.control('DELETE', '/people/ada/grants');
    expect((await put('d1', 2, true)).deliveries).toEqual([]);
    await oura.control('POST', '/people/ada/grants', { clientId: 'app', scopes: ['workout'] });
    expect((await put('d1', 3, true)).deliveries).toEqual([]);
    expect(callback.received).toHaveLength(0);
  });

  it('after a rotation the new secret signs; an ordered webhook can still use the old one', async () => {
    await oura.control('POST', '/apps/app/rotate-secret', { clientSecret: 'secret-2' });
    await put('d1', 1, true);
    await send({ secret: 'secret-1' });
    expect(callback.received.map((r) => [isSignedBy('secret-1', r), isSignedBy('secret-2', r)])).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it('each of two apps gets its own, with its own secret', async () => {
    await oura.control('POST', '/apps', { clientId: 'app2', clientSecret: 'other' });
    await subscribe('app2', 'other', 'update', 'daily_activity');
    callback.clear();
    await put('d1', 1);
    expect((await put('d1', 2, true)).deliveries.map((d) => d.clientId)).toEqual(['app']);
    await oura.control('POST', '/people/ada/grants', { clientId: 'app2' });
    expect((await put('d1', 3, true)).deliveries.map((d) => d.clientId)).toEqual(['app', 'app2']);
    expect(callback.received.map((r) => [r.path, isSignedBy('secret-1', r), isSignedBy('other', r)])).toEqual([
      ['/app', true, false],
      ['/app', true, false],
      ['/app2', false, true],
    ]);
    expect((await send({ clientId: 'app2' })).deliveries.map((d) => d.clientId)).toEqual(['app2']);
  });

  it('copies are of one change unless told to be distinct; concurrent ones are open together', async () => {
    callback.behave({ do: 'answer', status: 200, afterMs: 40 });
    await send({ copies: 3, concurrent: true });
    expect(new Set(callback.received.map((r) => r.body.toString())).size).toBe(1);
    expect(callback.busiest).toBe(3);
    callback.clear();
    await send({ copies: 3, distinct: true });
    expect(new Set(callback.received.map((r) => said(r)['event_time'])).size).toBe(3);
    expect(callback.busiest).toBe(1);
  });

  it('an ordered webhook says what was ordered, about strangers too', async () => {
    await send({ subjectId: 'nobody', eventType: 'delete', eventTime: '2026-09-01T00:00:00.000001+00:00', objectId: 'x' });
    expect(said(callback.received[0])).toEqual({
      event_type: 'delete',
      data_type: 'daily_activity',
      object_id: 'x',
      event_time: '2026-09-01T00:00:00.000001+00:00',
      user_id: 'nobody',
    });
    await expect(send({ collection: 'workout' })).rejects.toThrow(/409.*no_subscription/);
    await expect(send({ copys: 2 })).rejects.toThrow(/422.*copys/);
  });

  it('a late one still goes to an app that the person has left', async () => {
    await oura.control('DELETE', '/people/ada/grants');
    expect((await send()).deliveries[0]?.status).toBe(204);
  });

  it('it waits as ordered, and need not be waited for', async () => {
    const started = Date.now();
    await send({ delayMs: 80 });
    expect(Date.now() - started).toBeGreaterThanOrEqual(75);
    expect(await send({ delayMs: 60, wait: false })).toEqual({ deliveries: [] });
    expect(callback.received).toHaveLength(1);
    await callback.until((received) => received.length === 2);
  });

  it('the same bytes can come again, headers and all', async () => {
    await expect(send({ repeat: 'same-bytes' })).rejects.toThrow(/404.*nothing_to_repeat/);
    await send();
    await new Promise((resolve) => {
      setTimeout(resolve, 1100);
    });
    await send({ repeat: 'same-bytes', copies: 2 });
    const shown = callback.received.map((r) => [r.body.toString(), r.headers['x-oura-timestamp'], r.headers['x-oura-signature']]);
    expect(shown).toHaveLength(3);
    expect([shown[1], shown[2]]).toEqual([shown[0], shown[0]]);
  });

  it('forged ones are refusable on arrival, and do not come back when refused', async () => {
    await oura.control('PUT', '/faults', { retryScale: 0.0001 });
    callback.behave({ do: 'answer', status: 401 });
    for (const forge of ['signature', 'body', 'none', 'truncated']) await send({ forge });
    expect(callback.received.map((r) => isSignedBy('secret-1', r))).toEqual([false, false, false, false]);
    await send({ forge: 'stale' });
    expect(Date.now() / 1000 - Number(callback.received[4]?.headers['x-oura-timestamp'])).toBeGreaterThan(3590);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect(callback.received).toHaveLength(5);
  });

  it('a refused one comes back ten times and then no more, stamped and signed anew each time', async () => {
    await oura.control('PUT', '/faults', { retryScale: 0.0001 });
    callback.behave({ do: 'answer', status: 500 });
    expect((await put('d1', 1, true)).deliveries[0]).toMatchObject({ fate: 'refused', status: 500 });
    await callback.until((received) => received.length === 11);
    await new Promise((resolve) => {
      setTimeout(resolve, 150);
    });
    expect((await log()).map((w) => w.retry)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(new Set(callback.received.map((r) => r.body.toString())).size).toBe(1);
    for (const request of callback.received) expect(isSignedBy('secret-1', request)).toBe(true);
  });

  it('coming back ends with the first success, and no answer in time counts as none', async () => {
    await oura.control('PUT', '/faults', { retryScale: 0.001, answerTimeoutMs: 60 });
    callback.behaveNext({ do: 'hang' }, { do: 'reset' }, { do: 'answer', status: 404 });
    expect((await put('d1', 1, true)).deliveries[0]).toMatchObject({ fate: 'unanswered', status: 0 });
    await callback.until((received) => received.length === 4);
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
    expect((await log()).map((w) => w.status)).toEqual([0, 0, 404, 204]);
  });

  it('retries can keep their first timestamp, since Oura does not say', async () => {
    await oura.control('PUT', '/faults', { retryScale: 0.11, retryTimestamps: 'kept' });
    callback.behaveNext({ do: 'answer', status: 503 });
    await put('d1', 1, true);
    await callback.until((received) => received.length === 2);
    const [first, second] = callback.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1000);
    expect(second?.headers['x-oura-timestamp']).toBe(first?.headers['x-oura-timestamp']);
  });

  it('410 cancels the subscription, and nothing more is sent', async () => {
    await oura.control('PUT', '/faults', { retryScale: 0.0001 });
    await put('d1', 1);
    callback.behave({ do: 'answer', status: 410 });
    expect((await put('d1', 2, true)).deliveries[0]).toMatchObject({ fate: 'refused', status: 410 });
    expect((await put('d1', 3, true)).deliveries).toEqual([]);
    await new Promise((resolve) => {
      setTimeout(resolve, 60);
    });
    expect(callback.received).toHaveLength(1);
    const { subscriptions } = await oura.control<{ subscriptions: { eventType: string }[] }>('GET', '/subscriptions');
    expect(subscriptions.map((s) => s.eventType)).toEqual(['create', 'delete']);
  });

  it('webhooks can be lost, doubled and late', async () => {
    await oura.control('PUT', '/faults', { dropWebhooks: 1 });
    expect((await put('d1', 1, true)).deliveries).toEqual([{ clientId: 'app', fate: 'dropped', status: 0, ms: 0 }]);
    expect((await put('d1', 2, true)).deliveries[0]?.fate).toBe('delivered');
    await oura.control('PUT', '/faults', { duplicateWebhooks: 2 });
    expect((await put('d1', 3, true)).deliveries).toHaveLength(3);
    await oura.control('PUT', '/faults', { duplicateWebhooks: null, delayWebhooksMs: 70 });
    const started = Date.now();
    await put('d1', 4, true);
    expect(Date.now() - started).toBeGreaterThanOrEqual(65);
    expect(callback.received).toHaveLength(5);
  });

  it('webhooks can overtake each other, and none is lost by it', async () => {
    await oura.control('PUT', '/faults', { reorderWebhooks: true });
    expect((await put('a', 1, true)).deliveries[0]?.fate).toBe('held');
    expect((await put('b', 1, true)).deliveries).toHaveLength(2);
    expect(objects()).toEqual(['b', 'a']);
    await put('c', 1, true);
    await oura.control('DELETE', '/faults');
    expect(objects()).toEqual(['b', 'a', 'c']);
    await oura.control('PUT', '/faults', { reorderWebhooks: true });
    await put('d', 1, true);
    await callback.until((received) => received.length === 4);
    expect(objects()).toEqual(['b', 'a', 'c', 'd']);
  });

  it('stopping does not wait for a webhook that is still to be sent, nor for a callback that hangs', async () => {
    const other = await startProviders();
    await other.control('POST', '/apps', { clientId: 'app', clientSecret: 's' });
    await other.control('POST', '/people', { subjectId: 'ada' });
    const subscription = { callback_url: callback.url, verification_token: 'vt', event_type: 'update', data_type: 'sleep' };
    await other.call('POST', '/oura/v2/webhook/subscription', subscription, { 'x-client-id': 'app', 'x-client-secret': 's' });
    callback.clear();
    callback.behave({ do: 'hang' });
    const order = { subjectId: 'ada', collection: 'sleep', objectId: 's1' };
    const open = [other.control('POST', '/webhooks', { ...order, delayMs: 60_000 }), other.control('POST', '/webhooks', order)];
    await callback.until((received) => received.length === 1);
    const started = Date.now();
    await other.stop();
    expect(Date.now() - started).toBeLessThan(2_000);
    await Promise.allSettled(open);
  });

  it('the front page shows people, subscriptions and the last webhooks, and no secret', async () => {
    await put('d1', 1, true);
    const { body, headers } = await oura.call<string>('GET', '/');
    expect(headers.get('content-type')).toContain('text/html');
    for (const shown of ['ada', 'create daily_activity', `${callback.url}/app`, '204 in']) expect(body).toContain(shown);
    expect(body).not.toContain('secret-1');
  });
});
