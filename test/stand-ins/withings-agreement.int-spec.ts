// doubles: none; our Withings adapter talks to the Withings stand-in through the client that it gets in production.
// oracles: what the adapter made of it, and what the stand-in counted and holds.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type FetchContext, ProviderUnreachable } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { withings } from '../../packages/providers/src/withings/provider.js';
import { type ProviderServer, startProviders } from './provider-server.js';
import { type Received, type Receiver, startReceiver } from './receiver-server.js';
import { nowhere } from '../../packages/providers/testing/scripted-http.js';

const redirectUri = 'http://127.0.0.1:9/connect/callback';
const client = { clientId: 'app', clientSecret: 'secret-1' };
const app = { clientId: 'app', toleranceMs: 300_000, secrets: [] };
const ada = '38291047';
const noKeys = { current: () => Promise.reject(new Error('none')), renewed: () => Promise.reject(new Error('none')) };

describe('our Withings adapter and the Withings stand-in agree', () => {
  let providers: ProviderServer;
  let ingest: Receiver;
  let http: ReturnType<typeof createProviderHttp>;
  let origins: FetchContext['origins'];
  let now = Date.now();
  beforeAll(async () => {
    providers = await startProviders(() => now);
    ingest = await startReceiver({
      decide: (request) => (request.method === 'HEAD' ? { do: 'answer', ...withings.handshake(raw(request), app) } : undefined),
    });
    const base = `${providers.url}/withings`;
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
    now = Date.now();
    ingest.clear();
    await control('DELETE', '/');
    await control('POST', '/apps', { ...client, redirectUris: [redirectUri], accessTokenTtlS: 120 });
    await control('POST', '/people', { subjectId: ada });
  });

  const control = async <T = unknown>(method: string, path: string, body?: object): Promise<T> => {
    const { status, body: answer } = await providers.call<T>(method, `/control/withings${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const raw = ({ method, path, query, headers, body }: Received) => ({
    method,
    url: `${path}?${query.toString()}`,
    query,
    headers: new Map(Object.entries(headers)),
    body,
  });
  const exchange = (code: string) => withings.oauth.exchange(http, { origins, client, code, redirectUri, now });
  const agree = async (granted = '') => {
    const url = new URL(withings.oauth.authorizeUrl({ origins, clientId: 'app', redirectUri, state: 'st', scopes: withings.oauth.scopes }));
    url.searchParams.set('person', ada);
    if (granted !== '') url.searchParams.set('granted', granted);
    const back = new URL((await providers.call('GET', url.pathname + url.search)).headers.get('location') ?? '');
    expect(back.searchParams.get('state')).toBe('st');
    return back.searchParams.get('code') ?? '';
  };
  const connect = async (granted = '') => {
    const outcome = await exchange(await agree(granted));
    if (outcome.is !== 'granted') throw new Error(`not granted: ${outcome.is}`);
    return outcome.grant;
  };
  const put = (collection: string, id: string | number, document: object, query = '') =>
    control('PUT', `/people/${ada}/documents/${collection}/${id}${query}`, document);
  const read = (collection: string, window: Parameters<typeof withings.fetchRecords>[1], accessToken: string) =>
    withings.fetchRecords(collection, window, { http, origins, accessToken, now, whereabouts: nowhere });
  const idsOf = (outcome: Awaited<ReturnType<typeof read>>) =>
    outcome.is === 'records' ? outcome.records.map((record) => record.providerRecordId) : [outcome.is];
  const weighed = (date: string, value = 72_500) => ({
    date: Date.parse(date) / 1000,
    measures: [{ value, type: 1, unit: -3 }],
  });
  const whole = { kind: 'whole' } as const;

  it('on connecting: the answer names the person, and a code is too old after half a minute', async () => {
    const grant = await connect();
    expect(grant).toMatchObject({ subjectId: ada, scopes: [...withings.oauth.scopes], expiresAt: now + 120_000 });
    expect(await withings.oauth.subject(http, { origins, accessToken: grant.accessToken })).toBeUndefined();
    const code = await agree();
    now += 30_001;
    expect(await exchange(code)).toEqual({ is: 'invalid-grant' });
  });

  it('on refreshing, with a new refresh token each time', async () => {
    const grant = await connect();
    const refresh = (refreshToken = '', as = client) => withings.oauth.refresh(http, { origins, client: as, refreshToken, now });
    expect((await refresh(grant.refreshToken, { ...client, clientSecret: 'wrong' })).is).toBe('transient');
    const refreshed = await refresh(grant.refreshToken);
    expect(refreshed).toMatchObject({ is: 'granted', grant: { subjectId: ada } });
    expect(await refresh(grant.refreshToken)).toEqual({ is: 'invalid-grant' });
  });

  it('on ending a grant, which ends its subscriptions too', async () => {
    const { accessToken } = await connect();
    await withings.subscriptions.ensureForPerson?.(http, { origins, accessToken, callbackUrl: `${ingest.url}/in/withings/key` });
    const revoke = (subjectId: string, as = client) => withings.oauth.revoke(http, { origins, client: as, accessToken, subjectId, now });
    expect(await revoke(ada, { ...client, clientSecret: 'wrong' })).toBe(false);
    expect(await revoke('1')).toBe(true);
    expect((await read('sleep', whole, accessToken)).is).toBe('records');
    expect(await revoke(ada)).toBe(true);
    expect(await revoke(ada)).toBe(true);
    expect((await read('sleep', whole, accessToken)).is).toBe('unauthorised');
    expect(await control('GET', '/subscriptions')).toEqual({ subscriptions: [] });
    await expect(withings.oauth.subject(http, { origins, accessToken })).rejects.toMatchObject({ code: 'http_401' });
  });

  it('on subscriptions: made after a probe, found again, made anew at another address, and as far as the scopes go', async () => {
    const { accessToken } = await connect();
    const ensure = (path: string, token = accessToken) =>
      withings.subscriptions.ensureForPerson?.(http, { origins, accessToken: token, callbackUrl: ingest.url + path });
    expect(await ensure('/in/withings/key')).toEqual({ created: 6, renewed: 0, present: 0 });
    expect(ingest.received.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array.from({ length: 6 }, () => 'HEAD /in/withings/key'),
    );
    expect(await ensure('/in/withings/key')).toEqual({ created: 0, renewed: 0, present: 6 });
    expect(await ensure('/in/withings/other')).toEqual({ created: 6, renewed: 0, present: 0 });

    const narrow = await connect('user.metrics');
    expect(await ensure('/in/withings/third', narrow.accessToken)).toEqual({ created: 3, renewed: 0, present: 0 });
    ingest.behave({ do: 'answer', status: 404 }, '/in/withings/gone');
    const dead = withings.subscriptions.ensureForPerson?.(http, { origins, accessToken, callbackUrl: 'http://127.0.0.1:9/in' });
    await expect(dead).rejects.toMatchObject({ code: 'subscription_create_status_293' });
  });

  it('on notifications: each change is a pointer to what changed, and what it points at is read', async () => {
    const { accessToken } = await connect();
    await withings.subscriptions.ensureForPerson?.(http, { origins, accessToken, callbackUrl: `${ingest.url}/in/withings/key` });
    const noticesOf = async (change: () => Promise<unknown>) => {
      ingest.clear();
      await change();
      return ingest.received.flatMap((request) => {
        expect(withings.classify(raw(request))).toBe('delivery');
        expect(withings.verify(raw(request), app, now, noKeys)).toMatchObject({ ok: true, grade: 'path-secret' });
        return withings.notices(raw(request)).notices;
      });
    };
    const [notice, ...more] = await noticesOf(() => put('measure', 5_412_003_311, weighed('2026-09-12T04:11:00Z'), '?notify=true'));
    expect([notice, more]).toMatchObject([{ subjectId: ada, collection: 'measure' }, []]);
    expect(idsOf(await read('measure', notice?.window ?? whole, accessToken))).toEqual(['5412003311']);
    const [gone] = await noticesOf(() => control('DELETE', `/people/${ada}/documents/measure/5412003311?notify=true`));
    expect(gone).toEqual(notice);
    expect(await read('measure', gone?.window ?? whole, accessToken)).toEqual({
      is: 'records',
      complete: true,
      records: [],
      profileZone: 'Europe/Prague',
    });

    const [day] = await noticesOf(() => put('activity', '2026-09-14', { steps: 2100 }, '?notify=true'));
    expect(day).toMatchObject({ collection: 'activity', window: { kind: 'days', from: '2026-09-14', to: '2026-09-15' } });
    const night = { startdate: 1_789_420_230, enddate: 1_789_447_290, date: '2026-09-15' };
    const [slept] = await noticesOf(() => put('sleep', 77, night, '?notify=true'));
    expect(slept).toMatchObject({ collection: 'sleep' });
    expect(idsOf(await read('sleep', slept?.window ?? whole, accessToken))).toEqual(['77', '77', '77', '77']);
    const stretches = [
      { startdate: 1_789_420_230, enddate: 1_789_427_220, state: 2 },
      { startdate: 1_789_427_220, enddate: 1_789_447_290, state: 1 },
    ];
    await put('sleep', 77, { ...night, stretches });
    const staged = await read('sleep', slept?.window ?? whole, accessToken);
    expect(staged).toMatchObject({
      records: [{ detail: { stages: [{ stage: 'deep' }, { stage: 'light' }] } }, {}, {}, { metric: 'sleep_duration' }],
    });

    const stretched = await noticesOf(() => put('intraday', 1_789_400_000, { heart_rate: 92, steps: 40 }, '?notify=true'));
    expect(stretched).toMatchObject([{ collection: 'activity' }, { collection: 'intraday' }]);
    await put('intraday', 1_789_400_060, { heart_rate: 94, steps: 2 });
    expect(await read('intraday', stretched[1]?.window ?? whole, accessToken)).toMatchObject({
      is: 'records',
      complete: true,
      records: [
        { metric: 'heart_rate', localDate: '2026-09-14', samples: { offsetsS: [0, 60], values: [92, 94] } },
        { metric: 'steps_intraday', samples: { offsetsS: [0, 60], values: [40, 2], intervalS: 60 } },
      ],
    });

    const order = (more: object) => () => control('POST', '/webhooks', { subjectId: ada, ...more });
    expect(await noticesOf(order({ appli: '46', fields: { action: 'unlink' } }))).toMatchObject([{ collection: 'grant' }]);
    expect(await noticesOf(order({ appli: '16', fields: { date: '2026-09-14' }, copies: 3 }))).toHaveLength(6);
    expect(await noticesOf(order({ appli: '16', fields: { date: '2026-09-14' }, forge: 'json' }))).toEqual([]);
  });

  it('on reads: pages are followed and cut, and a change is a newer version of the same', async () => {
    const { accessToken } = await connect();
    for (let i = 1; i <= 8; i += 1) await put('measure', i, weighed(`2026-09-0${i}T06:00:00Z`, 70_000 + i));
    await put('measure', 9, { ...weighed('2026-09-05T07:00:00Z', 60_000), category: 2 });
    const window = { kind: 'days', from: '2026-09-02', to: '2026-09-08' } as const;
    const measures = await read('measure', window, accessToken);
    expect(measures).toMatchObject({ is: 'records', complete: true });
    expect(idsOf(measures)).toEqual(['7', '6', '5', '4', '3', '2']);
    expect(await control('GET', '/calls')).toMatchObject({ byCollection: { measure: { listReads: 3 } } });

    const versionOf = async () => {
      const outcome = await read('measure', window, accessToken);
      const found = outcome.is === 'records' ? outcome.records.find(({ providerRecordId }) => providerRecordId === '3') : undefined;
      return found?.kind === 'measurement' ? [found.value, found.version] : undefined;
    };
    const [value, version] = (await versionOf()) ?? [];
    now += 5_000;
    await put('measure', 3, weighed('2026-09-03T06:00:00Z', 71_245));
    expect([value, await versionOf()]).toEqual([70.003, [71.245, (version ?? 0) + 5_000_000]]);

    for (let i = 1; i <= 5; i += 1) await put('activity', `2026-09-0${i}`, { steps: i * 1000 });
    await put('workout', 12, { startdate: 1_788_336_000, enddate: 1_788_337_900, date: '2026-09-02' });
    const active = await read('activity', { kind: 'days', from: '2026-09-02', to: '2026-09-04' }, accessToken);
    const kinds =
      active.is === 'records' ? active.records.map((r) => (r.kind === 'daily' ? `${r.metric} ${r.localDate} ${r.value}` : r.kind)) : [];
    expect(kinds.filter((text) => text.startsWith('steps') || text === 'workout')).toEqual([
      'steps 2026-09-03 3000',
      'steps 2026-09-02 2000',
      'workout',
    ]);
  });

  it('on reads that fail, though all but one are answered 200', async () => {
    const { accessToken } = await connect();
    const outcomeUnder = async (faults: object) => {
      await control('PUT', '/faults', faults);
      const outcome = await read('measure', whole, accessToken);
      await control('DELETE', '/faults');
      return outcome;
    };
    expect(await outcomeUnder({ rateLimit: { limit: 0, windowS: 60 } })).toEqual({ is: 'rate-limited', retryAt: now + 60_000 });
    expect(await outcomeUnder({ failReads: { status: 502, times: 1 } })).toEqual({ is: 'transient', code: 'http_502' });
    expect(await outcomeUnder({ failReads: { status: 'garbled', times: 1 } })).toEqual({ is: 'transient', code: 'body_no_json' });
    expect((await outcomeUnder({ failReads: { status: 'reset', times: 1 } })).is).toBe('transient');
    expect(await outcomeUnder({})).toEqual({ is: 'records', complete: true, records: [], profileZone: 'Europe/Prague' });
    const narrow = await connect('user.info');
    expect(await read('measure', whole, narrow.accessToken)).toEqual({ is: 'forbidden', scope: 'user.metrics' });
    now += 121_000;
    expect((await read('measure', whole, accessToken)).is).toBe('unauthorised');
  });
});
