// doubles: none; our Polar adapter talks to the Polar stand-in through the client that it gets in production.
// oracles: what the adapter made of it, and what the stand-in counted and holds.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type FetchContext, ProviderUnreachable } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { polar } from '../../packages/providers/src/polar/provider.js';
import { type ProviderServer, startProviders } from './provider-server.js';
import { type Received, type Receiver, startReceiver } from './receiver-server.js';
import { nowhere } from '../../packages/providers/testing/scripted-http.js';

const redirectUri = 'http://127.0.0.1:9/connect/callback';
const client = { clientId: 'app', clientSecret: 'secret:1' };
const ada = '47510042';
const noKeys = { current: () => Promise.reject(new Error('none')), renewed: () => Promise.reject(new Error('none')) };

/** The app with the key of its webhook, once it has one. */
const appWith = (key: string | undefined) => ({
  clientId: 'app',
  toleranceMs: 300_000,
  secrets: key === undefined ? [] : [{ id: 'sec_1', purpose: 'webhook_secret' as const, value: key }],
});

describe('our Polar adapter and the Polar stand-in agree', () => {
  let providers: ProviderServer;
  let ingest: Receiver;
  let http: ReturnType<typeof createProviderHttp>;
  let origins: FetchContext['origins'];
  beforeAll(async () => {
    providers = await startProviders();
    ingest = await startReceiver({
      decide: (request) =>
        polar.classify(raw(request)) === 'handshake'
          ? { do: 'answer', status: polar.handshake(raw(request), appWith(undefined)).status }
          : { do: 'answer', status: 200 },
    });
    const base = `${providers.url}/polar`;
    origins = { api: base, authorize: base, token: base };
    http = createProviderHttp({
      allowedOrigins: new Set([providers.url]),
      deadlineMs: 2_000,
      maxReplyBytes: 1_000_000,
      unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
    });
  });
  afterAll(async () => {
    await http.close();
    await ingest.stop();
    await providers.stop();
  });
  beforeEach(async () => {
    ingest.clear();
    await control('DELETE', '/');
    await control('POST', '/apps', { ...client, redirectUris: [redirectUri] });
    await control('POST', '/people', { subjectId: ada });
  });

  const control = <T = unknown>(method: string, path: string, body?: object) => providers.controlOf('polar')<T>(method, path, body);
  const raw = ({ method, path, query, headers, body }: Received) => ({
    method,
    url: `${path}?${query.toString()}`,
    query,
    headers: new Map(Object.entries(headers)),
    body,
  });
  const connect = async (as = client) => {
    const url = new URL(polar.oauth.authorizeUrl({ origins, clientId: 'app', redirectUri, state: 'st', scopes: polar.oauth.scopes }));
    url.searchParams.set('person', ada);
    const back = new URL((await providers.call('GET', url.pathname + url.search)).headers.get('location') ?? '');
    expect(back.searchParams.get('state')).toBe('st');
    const code = back.searchParams.get('code') ?? '';
    return polar.oauth.exchange(http, { origins, client: as, code, redirectUri, now: Date.now() });
  };
  const connected = async () => {
    const outcome = await connect();
    if (outcome.is !== 'granted') throw new Error(`not granted: ${outcome.is}`);
    return outcome.grant;
  };
  const put = (collection: string, id: string, document: object = {}, query = '') =>
    control('PUT', `/people/${ada}/documents/${collection}/${id}${query}`, document);
  const read = (collection: string, window: Parameters<typeof polar.fetchRecords>[1], accessToken: string) =>
    polar.fetchRecords(collection, window, { http, origins, accessToken, now: Date.now(), whereabouts: nowhere });
  const day = (from: string, to: string) => ({ kind: 'days', from, to }) as const;
  const ensure = (path: string, knowsWebhookSecret: boolean) =>
    polar.subscriptions.ensure(http, {
      origins,
      client,
      callbackUrl: ingest.url + path,
      verificationToken: 'v',
      knowsWebhookSecret,
      now: Date.now(),
    });

  it('on connecting: the person is registered, again too, and lives long without a refresh token', async () => {
    const grant = await connected();
    expect(grant).toMatchObject({ subjectId: ada, refreshToken: undefined, scopes: ['accesslink.read_all'] });
    expect(grant.expiresAt).toBeGreaterThan(Date.now() + 9 * 365 * 86_400_000);
    expect(await polar.oauth.subject(http, { origins, accessToken: grant.accessToken })).toBeUndefined();
    expect((await connect()).is).toBe('granted');
    expect(await connect({ ...client, clientSecret: 'wrong' })).toEqual({ is: 'transient', code: 'token_http_401' });
  });

  it('on ending a grant: the person is out of the app, and back in by a new consent', async () => {
    const { accessToken } = await connected();
    const revoke = (subjectId: string) => polar.oauth.revoke(http, { origins, client, accessToken, subjectId, now: Date.now() });
    expect(await revoke(ada)).toBe(true);
    expect((await read('activities', day('2026-09-14', '2026-09-15'), accessToken)).is).toBe('unauthorised');
    expect(await revoke(ada)).toBe(true);
    await expect(polar.oauth.subject(http, { origins, accessToken })).rejects.toMatchObject({ code: 'http_401' });
    const again = await connected();
    expect((await read('activities', day('2026-09-14', '2026-09-15'), again.accessToken)).is).toBe('records');
  });

  it('on the webhook: made after a PING that nothing proves, found again, led elsewhere, switched on, and made anew without its key', async () => {
    const first = await ensure('/in/polar/key', false);
    expect(first).toEqual({ created: 1, renewed: 0, present: 0, secret: expect.stringMatching(/^[\w-]{32}$/) });
    expect(ingest.received.map(({ body }) => JSON.parse(body.toString()).event)).toEqual(['PING']);
    expect(await ensure('/in/polar/key', true)).toEqual({ created: 0, renewed: 0, present: 1 });
    expect(await ensure('/in/polar/other', true)).toEqual({ created: 0, renewed: 1, present: 0 });
    await control('PUT', '/apps/app/webhook', { active: false });
    expect(await ensure('/in/polar/other', true)).toEqual({ created: 0, renewed: 1, present: 0, lapsed: 1 });
    expect(await control('GET', '/subscriptions')).toMatchObject({
      subscriptions: [{ callbackUrl: `${ingest.url}/in/polar/other`, active: true, events: { length: 5 } }],
    });
    const anew = await ensure('/in/polar/key', false);
    expect(anew).toMatchObject({ created: 1 });
    expect(anew.secret).not.toBe(first.secret);
    const dead = polar.subscriptions.ensure(http, {
      origins,
      client,
      callbackUrl: 'http://127.0.0.1:9/in',
      verificationToken: 'v',
      now: 0,
    });
    await expect(dead).rejects.toMatchObject({ code: 'subscription_create_http_400' });
  });

  it('on webhooks: a right one is proved by the key and understood, a forged one is not', async () => {
    await connected();
    const { secret } = await ensure('/in/polar/key', false);
    const arrived = async (change: () => Promise<unknown>) => {
      ingest.clear();
      await change();
      const [request] = ingest.received;
      if (request === undefined) throw new Error('nothing came');
      return raw(request);
    };
    const verdict = async (request: ReturnType<typeof raw>, key = secret) => {
      const verification = await polar.verify(request, appWith(key), Date.now(), noKeys);
      return verification.ok ? 'ok' : verification.code;
    };
    const changed = await arrived(() => put('exercises', 'aQ9xK1', {}, '?notify=true'));
    expect([await verdict(changed), await verdict(changed, 'another')]).toEqual(['ok', 'signature_mismatch']);
    expect(polar.classify(changed)).toBe('delivery');
    expect(polar.notices(changed).notices).toMatchObject([
      { subjectId: ada, collection: 'exercises', window: { kind: 'object', id: 'aQ9xK1' } },
    ]);

    const night = await arrived(() => put('sleep', '2026-09-15', {}, '?notify=true'));
    expect(polar.notices(night).notices.map(({ collection, window }) => [collection, window])).toEqual([
      ['sleep', day('2026-09-15', '2026-09-16')],
      ['nightly-recharge', day('2026-09-15', '2026-09-16')],
      ['skin-temperature', day('2026-09-15', '2026-09-16')],
    ]);
    const order = (more: object) =>
      arrived(() => control('POST', '/webhooks', { subjectId: ada, event: 'SLEEP', about: '2026-09-15', ...more }));
    const verdicts: Record<string, string> = {};
    for (const forge of ['signature', 'body', 'none', 'truncated', 'not-json']) verdicts[forge] = await verdict(await order({ forge }));
    expect(verdicts).toEqual({
      signature: 'signature_mismatch',
      body: 'signature_mismatch',
      none: 'signature_missing',
      truncated: 'signature_mismatch',
      'not-json': 'ok',
    });
    ingest.clear();
    await control('POST', '/webhooks', { subjectId: ada, event: 'SLEEP', about: '2026-09-15', copies: 3, concurrent: true });
    expect(ingest.received).toHaveLength(3);
  });

  it('on reads: one exercise, one day, many days, and nothing there', async () => {
    const { accessToken } = await connected();
    await put('exercises', 'a1', { start_time: '2026-09-14T18:10:00' });
    await put('exercises', 'a2', { start_time: '2026-09-16T18:10:00' });
    for (const date of ['2026-09-13', '2026-09-14', '2026-09-15']) {
      await put('activities', date, { steps: Number(date.slice(-2)) * 100 });
      await put('sleep', date);
      await put('nightly-recharge', date);
      await put('skin-temperature', date);
      await put('spo2', date);
      await put('continuous-heart-rate', date);
    }
    await put('physical-info', 'me', { weight: 71.2 });
    const shortOf = async (collection: string, window: Parameters<typeof read>[1]) => {
      const outcome = await read(collection, window, accessToken);
      if (outcome.is !== 'records') return outcome.is;
      expect(outcome.complete).toBe(true);
      return outcome.records.flatMap((r) =>
        r.kind === 'deleted' ? [] : [`${r.kind}${'metric' in r ? `:${r.metric}` : ''} ${r.localDate}`],
      );
    };
    const span = day('2026-09-14', '2026-09-16');
    expect(await shortOf('exercises', { kind: 'object', id: 'a2' })).toEqual(['workout 2026-09-16', 'series:heart_rate 2026-09-16']);
    expect(await shortOf('exercises', span)).toEqual(['workout 2026-09-14', 'series:heart_rate 2026-09-14']);
    expect(await shortOf('exercises', { kind: 'object', id: 'none' })).toBe('not-ready');
    const dates = async (collection: string, window: Parameters<typeof read>[1]) => [
      ...new Set(((await shortOf(collection, window)) as string[]).map((text) => text.slice(-10))),
    ];
    for (const collection of ['activities', 'sleep', 'nightly-recharge', 'continuous-heart-rate', 'skin-temperature', 'spo2']) {
      expect([collection, await dates(collection, span)]).toEqual([collection, ['2026-09-14', '2026-09-15']]);
      expect([collection, await dates(collection, day('2026-09-13', '2026-09-14'))]).toEqual([collection, ['2026-09-13']]);
      expect(await shortOf(collection, day('2026-09-20', '2026-09-21'))).toEqual([]);
    }
    expect(await read('activities', day('2026-09-14', '2026-09-15'), accessToken)).toMatchObject({
      records: [{ metric: 'steps', value: 1400 }, {}, {}, {}, {}, {}, {}],
    });
    expect(await read('continuous-heart-rate', span, accessToken)).toMatchObject({ records: [{ utcOffsetS: 7200 }, { utcOffsetS: 7200 }] });
    expect(await read('physical-info', { kind: 'whole' }, accessToken)).toMatchObject({
      records: [{ metric: 'body_weight', value: 71.2 }, {}, {}],
    });
    expect(await shortOf('activities', day('2026-08-01', '2026-09-16'))).toHaveLength(21);
  });

  it('on one document of another shape among good ones', async () => {
    const { accessToken } = await connected();
    await put('activities', '2026-09-14', { steps: 1_400 });
    await put('activities', '2026-09-15', { steps: 'private' });
    const outcome = await read('activities', day('2026-09-14', '2026-09-16'), accessToken);
    expect(outcome).toMatchObject({ is: 'records', complete: true, records: { length: 7 }, faults: ['[1].steps is no number'] });
    expect(await read('activities', day('2026-09-15', '2026-09-16'), accessToken)).toEqual({ is: 'drift', detail: 'steps is no number' });
  });

  it('on reads that fail', async () => {
    const { accessToken } = await connected();
    await put('activities', '2026-09-14');
    const now = Date.now();
    const outcomeUnder = async (faults: object) => {
      await control('PUT', '/faults', faults);
      const outcome = await polar.fetchRecords('activities', day('2026-09-14', '2026-09-15'), {
        http,
        origins,
        accessToken,
        now,
        whereabouts: nowhere,
      });
      await control('DELETE', '/faults');
      return outcome;
    };
    const limited = await outcomeUnder({ rateLimit: { limit: 0, windowS: 30 } });
    expect(limited.is === 'rate-limited' && (limited.retryAt - now) / 1000).toBeGreaterThan(28);
    expect(limited.is === 'rate-limited' && (limited.retryAt - now) / 1000).toBeLessThan(31);
    expect(await outcomeUnder({ failReads: { status: 503, times: 1 } })).toEqual({ is: 'transient', code: 'http_503' });
    expect(await outcomeUnder({ failReads: { status: 'garbled', times: 1 } })).toEqual({ is: 'transient', code: 'body_no_json' });
    expect((await outcomeUnder({ failReads: { status: 'reset', times: 1 } })).is).toBe('transient');
    // Tokens without the registration that follows a consent.
    const { accessToken: bare } = await control<{ accessToken: string }>('POST', `/people/${ada}/grants`, { clientId: 'app' });
    await control('POST', '/people', { subjectId: '99' });
    const stranger = await control<{ accessToken: string }>('POST', '/people/99/grants', { clientId: 'app' });
    expect((await read('activities', day('2026-09-14', '2026-09-15'), bare)).is).toBe('records');
    expect(await read('activities', day('2026-09-14', '2026-09-15'), stranger.accessToken)).toEqual({
      is: 'forbidden',
      scope: 'accesslink.read_all',
    });
  });
});
