import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from './receiver-server.js';

describe("the stand-in of a customer's receiver", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  const post = (
    id: string,
    body = '{"type":"daily.updated","timestamp":"2026-09-15T00:00:00.000Z","deliveryAttempt":1,"data":{"n":1}}',
    path = '/hooks',
  ) => fetch(`${receiver.url}${path}?a=1`, { method: 'POST', headers: { 'Webhook-Id': id, 'content-type': 'application/json' }, body });

  it('keeps the bytes and headers that came, and answers 204', async () => {
    const bytes = '{ "type":"x",  "data":{"é":1} }';
    const answer = await post('evt_1', bytes);
    expect(answer.status).toBe(204);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.body.equals(Buffer.from(bytes))).toBe(true);
    expect(receiver.received[0]).toMatchObject({ method: 'POST', path: '/hooks', headers: { 'webhook-id': 'evt_1' } });
    expect(receiver.received[0]?.query.get('a')).toBe('1');
    expect(receiver.received[0]?.rawHeaders.map((text) => text.toLowerCase())).toContain('webhook-id');
  });

  it('lists events and counts how often each came', async () => {
    await post('evt_1');
    await post('evt_2');
    await post('evt_1');
    expect(receiver.events().map(({ id, type, data }) => [id, type, data])).toEqual([
      ['evt_1', 'daily.updated', { n: 1 }],
      ['evt_2', 'daily.updated', { n: 1 }],
      ['evt_1', 'daily.updated', { n: 1 }],
    ]);
    expect([...receiver.timesReceived()]).toEqual([
      ['evt_1', 2],
      ['evt_2', 1],
    ]);
  });

  it('answers as told: for all, for one path, and for the next ones only', async () => {
    receiver.behave({ do: 'answer', status: 503, headers: { 'retry-after': '7' }, body: 'busy' });
    receiver.behave({ do: 'answer', status: 200 }, '/other');
    receiver.behaveNext({ do: 'answer', status: 410 });
    expect((await post('evt_1')).status).toBe(410);
    const busy = await post('evt_1');
    expect([busy.status, busy.headers.get('retry-after'), await busy.text()]).toEqual([503, '7', 'busy']);
    expect((await post('evt_1', '{}', '/other')).status).toBe(200);
  });

  it('decides by the request when it is given a rule', async () => {
    const echo = await startReceiver({
      decide: (r) => (r.method === 'GET' ? { do: 'answer', status: 200, body: r.query.get('challenge') ?? '' } : undefined),
    });
    try {
      expect(await (await fetch(`${echo.url}/?challenge=abc`)).text()).toBe('abc');
      expect((await fetch(echo.url, { method: 'POST', body: 'x' })).status).toBe(204);
    } finally {
      await echo.stop();
    }
  });

  it('hangs, drips and cuts', async () => {
    receiver.behaveNext({ do: 'hang' }, { do: 'drip', everyMs: 5 }, { do: 'reset' });
    const brief = () => fetch(receiver.url, { method: 'POST', body: 'x', signal: AbortSignal.timeout(150) });
    await expect(brief()).rejects.toMatchObject({ name: 'TimeoutError' });
    const dripping = await brief();
    expect(dripping.status).toBe(200);
    await expect(dripping.text()).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(brief()).rejects.toMatchObject({ cause: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) } });
    expect(receiver.received).toHaveLength(3);
  });

  it('goes down, refuses, and comes back at the same address', async () => {
    await receiver.goDown();
    await expect(post('evt_1')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await receiver.comeBack();
    expect((await post('evt_1')).status).toBe(204);
    expect(receiver.received).toHaveLength(1);
  });

  it('knows how many requests were open at once', async () => {
    receiver.behave({ do: 'answer', status: 204, afterMs: 50 });
    await Promise.all([post('evt_1'), post('evt_2'), post('evt_3')]);
    expect(receiver.busiest).toBe(3);
  });

  it('waits for what is expected, and says what it has when that does not come', async () => {
    void post('evt_1');
    await receiver.until((received) => received.length === 1);
    await expect(receiver.until((received) => received.length === 2, 30)).rejects.toThrow(/has 1 requests: POST \/hooks evt_1/);
  });
});
