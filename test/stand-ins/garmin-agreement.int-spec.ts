// doubles: none; our Garmin adapter talks to the Garmin stand-in through the client that it gets in production.
// oracles: what the adapter made of it, and what the stand-in counted and holds.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type FetchContext, ProviderUnreachable } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { garmin } from '../../packages/providers/src/garmin/provider.js';
import { noKeys, rawRequest } from '../../packages/providers/testing/raw-request.js';
import { type ProviderServer, startProviders } from './provider-server.js';
import { type Received, type Receiver, startReceiver } from './receiver-server.js';
import { nowhere } from '../../packages/providers/testing/scripted-http.js';

const redirectUri = 'http://127.0.0.1:9/connect/callback';
const client = { clientId: 'app', clientSecret: 'secret-1' };
const person = '3f0c1d52-77aa-4c1e-9d4b-0a55c2e1b901';
const app = { clientId: 'app', toleranceMs: 0, acceptsCarried: true, secrets: [] } as const;
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const nowS = Math.floor(Date.now() / 1000);
const day = { calendarDate: '2026-09-14', startTimeInSeconds: 1_789_336_800, startTimeOffsetInSeconds: 7_200 };

describe('our Garmin adapter and the Garmin stand-in agree', () => {
  let server: ProviderServer;
  let control: ProviderServer['control'];
  let ingest: Receiver;
  let http: FetchContext['http'] & { close(): Promise<void> };
  let origins: FetchContext['origins'];
  beforeAll(async () => {
    server = await startProviders();
    control = server.controlOf('garmin');
    // As ingest does: nothing is parsed that is not proved.
    ingest = await startReceiver({
      decide: async (received) => {
        const verification = await garmin.verify(raw(received), app, Date.now(), noKeys);
        return { do: 'answer', ...garmin.answer(verification.ok ? 'accepted' : 'unauthenticated') };
      },
    });
    const base = `${server.url}/garmin`;
    origins = { api: base, authorize: base, token: base };
    http = createProviderHttp({
      allowedOrigins: new Set([server.url]),
      deadlineMs: 2_000,
      maxReplyBytes: 1_000_000,
      unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
    });
  });
  afterAll(async () => {
    await http.close();
    await ingest.stop();
    await server.stop();
  });
  beforeEach(async () => {
    await reset({});
  });

  const reset = async (more: object) => {
    await control('DELETE', '/');
    await control('POST', '/apps', { ...client, redirectUris: [redirectUri], callbackUrl: `${ingest.url}/in/garmin/key`, ...more });
    await control('POST', '/people', { subjectId: person });
    ingest.clear();
  };
  const raw = ({ headers, body }: Received) => rawRequest({ body, headers });
  const noticesSoFar = () => ingest.received.flatMap((received) => garmin.notices(raw(received)).notices);
  const connect = async ({ granted, by = verifier }: { granted?: string; by?: string } = {}) => {
    const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
    const url = new URL(garmin.oauth.authorizeUrl({ origins, clientId: 'app', redirectUri, state: 's', scopes: [], codeChallenge }));
    url.searchParams.set('person', person);
    if (granted !== undefined) url.searchParams.set('granted', granted);
    const back = new URL((await server.call('GET', url.pathname + url.search)).headers.get('location') ?? '');
    const code = back.searchParams.get('code') ?? '';
    return garmin.oauth.exchange(http, { origins, client, code, redirectUri, codeVerifier: by, now: Date.now() });
  };
  const token = async (granted?: string) => {
    const outcome = await connect(granted === undefined ? {} : { granted });
    if (outcome.is !== 'granted') throw new Error(`not granted: ${outcome.is}`);
    return outcome.grant;
  };
  const put = (type: string, id: string, document: object) => control('PUT', `/people/${person}/documents/${type}/${id}`, document);
  const read = (type: string, window: Parameters<typeof garmin.fetchRecords>[1], accessToken: string) =>
    garmin.fetchRecords(type, window, { http, origins, accessToken, now: Date.now(), whereabouts: nowhere });
  const steps = async (window: Parameters<typeof garmin.fetchRecords>[1], accessToken: string) => {
    const outcome = await read('dailies', window, accessToken);
    return outcome.is === 'records'
      ? outcome.records.flatMap((r) => (r.kind === 'daily' && r.metric === 'steps' ? [r.value] : []))
      : outcome.is;
  };

  it('on consenting with a verifier, on permissions, and on refresh tokens that rotate', async () => {
    expect(await connect({ by: 'another' })).toEqual({ is: 'invalid-grant' });
    expect((await token('ACTIVITY_EXPORT')).scopes).toEqual(['ACTIVITY_EXPORT']);
    const grant = await token();
    expect(await garmin.oauth.subject(http, { origins, accessToken: grant.accessToken })).toBe(person);
    const refresh = () => garmin.oauth.refresh(http, { origins, client, refreshToken: grant.refreshToken ?? '', now: Date.now() });
    expect((await refresh()).is).toBe('granted');
    expect(await refresh()).toEqual({ is: 'invalid-grant' });
  });

  it('on the end of a registration, of which the app is told in a notice of the grant', async () => {
    const { accessToken } = await token();
    const revoke = () => garmin.oauth.revoke(http, { origins, client, accessToken, subjectId: person, now: Date.now() });
    expect([await revoke(), await revoke()]).toEqual([true, true]);
    expect(await steps({ kind: 'whole' }, accessToken)).toBe('unauthorised');
    for (let tries = 0; ingest.received.length === 0 && tries < 50; tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(noticesSoFar()).toEqual([
      { subjectId: person, collection: 'grant', kind: 'changed', window: { kind: 'whole' }, version: undefined },
    ]);
  });

  it('on a ping: what it points at is what was uploaded, and is read', async () => {
    const { accessToken } = await token();
    await put('dailies', 'x-1', { document: { ...day, durationInSeconds: 86_400, steps: 11_342 }, notify: true });
    const [notice] = noticesSoFar();
    expect(notice).toMatchObject({ subjectId: person, collection: 'dailies', window: { kind: 'instants' } });
    expect(notice).not.toHaveProperty('carried');
    expect(await steps(notice?.window ?? { kind: 'whole' }, accessToken)).toEqual([11_342]);
  });

  it('on a ping that is read late: the newest state of the day counts', async () => {
    const { accessToken } = await token();
    await put('dailies', 'x-1', { ...day, uploadedAtS: nowS - 100_000, durationInSeconds: 36_000, steps: 3_000 });
    await put('dailies', 'x-2', { ...day, uploadedAtS: nowS - 3_600, durationInSeconds: 72_000, steps: 9_000 });
    const window = (fromS: number) =>
      ({ kind: 'instants', from: new Date(fromS * 1000).toISOString(), to: new Date((fromS + 1) * 1000).toISOString() }) as const;
    expect(await steps(window(nowS - 100_000), accessToken)).toEqual([9_000]);
    expect(await steps(window(nowS - 3_600), accessToken)).toEqual([9_000]);
  });

  it('C040: on the key of a ping, without which nothing is shown, and which is good for a day', async () => {
    await reset({ pullTokens: true });
    const { accessToken } = await token();
    await put('dailies', 'x-1', { document: { ...day, durationInSeconds: 86_400, steps: 11_342 }, notify: true });
    const [notice] = noticesSoFar();
    const window = notice?.window ?? { kind: 'whole' };
    const callbacks = [notice?.callback ?? ''];
    expect(callbacks[0]).toMatch(/&token=[A-Za-z0-9%]+%3D$/);
    expect(await read('dailies', window, accessToken)).toEqual({ is: 'drift', detail: 'status 400: read without a pull token' });
    const readAt = (told: readonly string[]) =>
      garmin.fetchRecords('dailies', window, {
        ...{ http, origins, accessToken, now: Date.now(), whereabouts: nowhere },
        callbacks: told.map((url) => ({ url, subjectId: person })),
      });
    expect(await readAt(callbacks)).toMatchObject({
      is: 'records',
      complete: true,
      asTold: expect.any(Number),
      records: [{ metric: 'steps', value: 11_342 }],
    });
    expect(await readAt(callbacks.map((url) => url.replace(/token=./, 'token=_')))).toMatchObject({ is: 'drift' });
  });

  it('on what comes in parts: a series is of a whole day, also when only the last part was told', async () => {
    const { accessToken } = await token();
    const begin = Math.floor(nowS / 86_400) * 86_400;
    const part = (at: number, value: number) => ({
      uploadedAtS: begin + at,
      startTimeInSeconds: begin + at,
      startTimeOffsetInSeconds: 0,
      durationInSeconds: 900,
      timeOffsetEpochToBreaths: { '0': value },
    });
    await put('allDayRespiration', 'p-1', part(1, 12));
    await put('allDayRespiration', 'p-2', { document: part(Math.max(2, nowS - begin - 1), 14), notify: true });
    const [notice] = noticesSoFar();
    expect(await read('allDayRespiration', notice?.window ?? { kind: 'whole' }, accessToken)).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ metric: 'respiratory_rate', samples: { values: [12, 14] } }],
    });
  });

  it('C152: on the past, which comes as webhooks, once for each span, and only when the person allows it', async () => {
    await reset({ sends: 'push' });
    const { accessToken } = await token();
    for (const [n, date] of ['2026-09-13', '2026-09-14', '2026-11-01'].entries()) {
      const startTimeInSeconds = Date.parse(`${date}T00:00:00Z`) / 1000;
      await put('dailies', `x-${n}`, { ...day, calendarDate: date, startTimeInSeconds, durationInSeconds: 86_400, steps: 100 + n });
    }
    const ask = (from: string, to: string, by = accessToken) => read('backfill/dailies', { kind: 'days', from, to }, by);
    const nothingYet = { is: 'records', complete: true, records: [] };
    expect(await ask('2026-09-01', '2026-10-01')).toEqual(nothingYet);
    for (let tries = 0; ingest.received.length < 2 && tries < 100; tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(noticesSoFar().map(({ window }) => window)).toEqual([
      { kind: 'days', from: '2026-09-13', to: '2026-09-14' },
      { kind: 'days', from: '2026-09-14', to: '2026-09-15' },
    ]);
    // Asked for before: no webhook will come, and nobody waits for one.
    expect(await ask('2026-09-10', '2026-09-20')).toEqual(nothingYet);
    expect(await ask('2026-01-01', '2026-12-01')).toEqual({ is: 'drift', detail: 'status 400' });
    const narrow = await token('HEALTH_EXPORT');
    expect(await ask('2026-10-01', '2026-10-20', narrow.accessToken)).toEqual({ is: 'forbidden', scope: 'HISTORICAL_DATA_EXPORT' });
    expect(ingest.received).toHaveLength(2);
  });

  it('on a push: it carries the summary byte for byte, and names a window that can be read too', async () => {
    await reset({ sends: 'push' });
    const { accessToken } = await token();
    const run = { startTimeInSeconds: nowS - 7_200, startTimeOffsetInSeconds: 0, durationInSeconds: 1_864, activityType: 'RUNNING' };
    await put('activities', '204177', { document: run, notify: true });
    const [notice] = noticesSoFar();
    expect(notice).toMatchObject({ collection: 'activities', window: { kind: 'object', id: '204177' } });
    expect(JSON.parse(Buffer.from(notice?.carried ?? []).toString())).toEqual({ userId: person, ...run, summaryId: '204177' });
    expect(await read('activities', notice?.window ?? { kind: 'whole' }, accessToken)).toMatchObject({
      is: 'records',
      records: [{ kind: 'workout', providerRecordId: '204177', detail: { sport: 'running' } }],
    });
  });

  it('on what is forged: another app’s id is refused, an address that is not Garmin’s is not believed', async () => {
    await token();
    const send = async (forge: string) => {
      const order = { subjectId: person, collection: 'dailies', forge };
      const { deliveries } = await control<{ deliveries: { status: number }[] }>('POST', '/webhooks', order);
      return deliveries[0]?.status;
    };
    expect(await send('client-id')).toBe(401);
    ingest.clear();
    expect(await send('foreign-address')).toBe(200);
    expect(() => noticesSoFar()).toThrow('dailies[0].callbackURL: not an address of Garmin');
  });

  it('on reads that fail', async () => {
    const { accessToken } = await token();
    const recent = { kind: 'days', from: new Date().toISOString().slice(0, 10), to: '2200-01-01' } as const;
    const outcomeUnder = async (faults: object) => {
      await control('PUT', '/faults', faults);
      const outcome = await read('dailies', recent, accessToken);
      await control('DELETE', '/faults');
      return outcome;
    };
    expect(await outcomeUnder({ failReads: { status: 503, times: 1 } })).toEqual({ is: 'transient', code: 'http_503' });
    expect(await outcomeUnder({ failReads: { status: 'garbled', times: 1 } })).toEqual({ is: 'transient', code: 'body_no_json' });
    expect((await outcomeUnder({ rateLimit: { limit: 0, windowS: 30 } })).is).toBe('rate-limited');
    const narrow = await token('ACTIVITY_EXPORT');
    expect(await read('dailies', recent, narrow.accessToken)).toEqual({ is: 'forbidden', scope: 'HEALTH_EXPORT' });
  });
});
