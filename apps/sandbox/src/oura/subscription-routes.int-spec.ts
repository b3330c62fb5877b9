import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProviderServer, startProviders } from '../../../../test/stand-ins/provider-server.js';
import { type Behaviour, type Receiver, startReceiver } from '../../../../test/stand-ins/receiver-server.js';

interface Subscription {
  readonly id: string;
  readonly callback_url: string;
  readonly event_type: string;
  readonly data_type: string;
  readonly expiration_time: string;
}

describe('webhook subscriptions at the Oura stand-in', () => {
  let oura: ProviderServer;
  let callback: Receiver;
  let handshake: (challenge: string) => Behaviour;
  let now = Date.parse('2026-09-15T12:00:00Z');
  beforeAll(async () => {
    oura = await startProviders(() => now);
    callback = await startReceiver({ decide: ({ query }) => handshake(query.get('challenge') ?? '') });
  });
  afterAll(async () => {
    await callback.stop();
    await oura.stop();
  });
  beforeEach(async () => {
    callback.clear();
    handshake = echo;
    await oura.control('DELETE', '/');
    await oura.control('POST', '/apps', { clientId: 'app', clientSecret: 's', subscriptionTtlS: 3600 });
    await oura.control('POST', '/apps', { clientId: 'other', clientSecret: 't' });
  });

  const echo = (challenge: string): Behaviour => ({ do: 'answer', status: 200, body: JSON.stringify({ challenge }) });
  const mine = { 'x-client-id': 'app', 'x-client-secret': 's' };
  const path = '/oura/v2/webhook/subscription';
  const wanted = (change: object = {}) => ({
    callback_url: `${callback.url}/in/oura/key?fixed=1`,
    verification_token: 'vt',
    event_type: 'update',
    data_type: 'sleep',
    ...change,
  });
  const create = <T = Subscription>(change: object = {}, headers: Record<string, string> = mine) =>
    oura.call<T>('POST', path, wanted(change), headers);
  const list = async (headers = mine) => (await oura.call<Subscription[]>('GET', path, undefined, headers)).body;

  it('creating one asks the callback to prove itself, and then there is one', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      callback_url: `${callback.url}/in/oura/key?fixed=1`,
      event_type: 'update',
      data_type: 'sleep',
      expiration_time: '2026-09-15T13:00:00.000000',
    });
    expect(callback.received).toHaveLength(1);
    expect(callback.received[0]).toMatchObject({ method: 'GET', path: '/in/oura/key' });
    expect(Object.fromEntries(callback.received[0]?.query ?? [])).toEqual({
      fixed: '1',
      verification_token: 'vt',
      challenge: expect.stringMatching(/^\w{24}$/),
    });
    expect(await list()).toEqual([body]);
    expect((await oura.call('GET', `${path}/${body.id}`, undefined, mine)).body).toEqual(body);
  });

  it('a callback that does not echo the challenge with 200 as JSON in time gets none', async () => {
    await oura.control('PUT', '/faults', { answerTimeoutMs: 100 });
    const wrong: ((challenge: string) => Behaviour)[] = [
      () => ({ do: 'answer', status: 200, body: '{"challenge":"else"}' }),
      (challenge) => ({ do: 'answer', status: 200, body: challenge }),
      (challenge) => ({ do: 'answer', status: 201, body: JSON.stringify({ challenge }) }),
      (challenge) => ({ do: 'answer', status: 302, headers: { location: `${callback.url}/there` }, body: JSON.stringify({ challenge }) }),
      () => ({ do: 'hang' }),
      () => ({ do: 'drip', everyMs: 10 }),
      () => ({ do: 'reset' }),
    ];
    for (const way of wrong) {
      handshake = way;
      expect(await create<{ detail: string }>()).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining('The callback did not verify') },
      });
    }
    expect(await create({ callback_url: 'http://127.0.0.1:9/closed' })).toMatchObject({ status: 400 });
    expect(await list()).toEqual([]);
  });

  it('there is one for each event type and data type of an app', async () => {
    await create();
    expect((await create({ callback_url: `${callback.url}/else` })).status).toBe(409);
    expect((await create({ event_type: 'create' })).status).toBe(201);
    expect((await create({ data_type: 'workout' })).status).toBe(201);
    expect((await create({}, { 'x-client-id': 'other', 'x-client-secret': 't' })).status).toBe(201);
    expect(await list()).toHaveLength(3);
  });

  it('of two creates at the same moment one wins', async () => {
    const statuses = (await Promise.all([create(), create()])).map((answer) => answer.status);
    expect(statuses.sort()).toEqual([201, 409]);
    expect(await list()).toHaveLength(1);
  });

  it('wrong credentials are 401, and a body that is not of the shape is 422 with its place', async () => {
    const strangers: Record<string, string>[] = [
      {},
      { 'x-client-id': 'app' },
      { ...mine, 'x-client-secret': 't' },
      { ...mine, 'x-client-id': 'nobody' },
    ];
    for (const headers of strangers) {
      expect((await create({}, headers)).status).toBe(401);
    }
    for (const [change, place] of [
      [{ data_type: 'heartrate' }, 'data_type'],
      [{ event_type: 'any' }, 'event_type'],
      [{ callback_url: 'nowhere' }, 'callback_url'],
      [{ verification_token: undefined }, 'verification_token'],
    ] as const) {
      expect(await create<object>(change)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', place] }] } });
    }
    expect(callback.received).toHaveLength(0);
  });

  it('one can be moved, which takes a new proof; renewed; and removed', async () => {
    const { id } = (await create()).body;
    const move = (body: object) => oura.call<Subscription>('PUT', `${path}/${id}`, body, mine);
    handshake = () => ({ do: 'answer', status: 401 });
    expect((await move({ verification_token: 'v2', callback_url: `${callback.url}/new` })).status).toBe(400);
    expect((await list())[0]?.callback_url).toBe(`${callback.url}/in/oura/key?fixed=1`);
    handshake = echo;
    expect((await move({ verification_token: 'v2', callback_url: `${callback.url}/new` })).body.callback_url).toBe(`${callback.url}/new`);
    now += 1_800_000;
    const renewed = await oura.call<Subscription>('PUT', `${path}/renew/${id}`, undefined, mine);
    expect([renewed.status, renewed.body.expiration_time]).toEqual([200, new Date(now + 3_600_000).toISOString().replace('Z', '000')]);
    expect((await oura.call('DELETE', `${path}/${id}`, undefined, mine)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  it("one that is another app's, removed or lapsed is 403 for every verb", async () => {
    const { id } = (await create()).body;
    const all = (headers: Record<string, string>) =>
      Promise.all([
        oura.call('GET', `${path}/${id}`, undefined, headers),
        oura.call('PUT', `${path}/${id}`, { verification_token: 'v' }, headers),
        oura.call('PUT', `${path}/renew/${id}`, undefined, headers),
        oura.call('DELETE', `${path}/${id}`, undefined, headers),
      ]);
    const statuses = async (headers: Record<string, string>) => (await all(headers)).map((answer) => answer.status);
    expect(await statuses({ 'x-client-id': 'other', 'x-client-secret': 't' })).toEqual([403, 403, 403, 403]);
    expect(await list()).toHaveLength(1);
    now += 3_600_000;
    expect(await statuses(mine)).toEqual([403, 403, 403, 403]);
    expect((await create()).status).toBe(201);
  });
});
