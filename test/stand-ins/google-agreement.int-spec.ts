// doubles: none; our Google adapter talks to the Google stand-in through the client that it gets in production.
// oracles: what the adapter made of it, and what the stand-in counted and holds.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AppForVerification, type FetchContext, ProviderUnreachable, type RemoteKeys } from '@tributary/providers';
import { createProviderHttp } from '@tributary/service-shell';
import { google } from '../../packages/providers/src/google/provider.js';
import { rawRequest } from '../../packages/providers/testing/raw-request.js';
import { type ProviderServer, startProviders } from './provider-server.js';
import { type Received, type Receiver, startReceiver } from './receiver-server.js';
import { nowhere } from '../../packages/providers/testing/scripted-http.js';

const redirectUri = 'http://127.0.0.1:9/connect/callback';
const client = { clientId: 'app', clientSecret: 'secret-1' };
const person = '7203998815540021993';
const secret = 'Bearer subscriber-secret';
const week = { kind: 'days', from: '2026-09-10', to: '2026-09-17' } as const;
const at = { startUtcOffset: '7200s', endUtcOffset: '7200s' };
const night = {
  interval: { startTime: '2026-09-14T21:10:30Z', endTime: '2026-09-15T04:41:30Z', ...at },
  summary: { minutesAsleep: '442' },
};
const run = { interval: { startTime: '2026-09-14T16:10:00Z', endTime: '2026-09-14T16:41:04Z', ...at }, exerciseType: 'RUNNING' };

describe('our Google adapter and the Google stand-in agree', () => {
  let server: ProviderServer;
  let control: ProviderServer['control'];
  let ingest: Receiver;
  let http: FetchContext['http'] & { close(): Promise<void> };
  let origins: FetchContext['origins'];
  let app: AppForVerification;
  let keys: RemoteKeys;
  beforeAll(async () => {
    server = await startProviders();
    control = server.controlOf('google');
    const base = `${server.url}/google`;
    origins = { api: base, authorize: base, token: base };
    app = { clientId: 'app', toleranceMs: 0, keyOrigin: base, secrets: [{ id: 's1', purpose: 'webhook_secret', value: secret }] };
    http = createProviderHttp({
      allowedOrigins: new Set([server.url]),
      deadlineMs: 2_000,
      maxReplyBytes: 1_000_000,
      unreachable: (code, cause) => new ProviderUnreachable(code, { cause }),
    });
    const load = async (url: string) => (await http.send({ method: 'GET', url })).body.toString();
    keys = { current: load, renewed: load };
    // As ingest does: nothing is parsed that is not proved.
    ingest = await startReceiver({
      decide: async (received) => {
        const verification = await google.verify(raw(received), app, Date.now(), keys);
        if (!verification.ok) return { do: 'answer', ...google.answer('unauthenticated') };
        return { do: 'answer', ...(google.notices(raw(received)).answer ?? google.answer('accepted')) };
      },
    });
  });
  afterAll(async () => {
    await http.close();
    await ingest.stop();
    await server.stop();
  });
  beforeEach(async () => {
    await control('DELETE', '/');
    await control('POST', '/apps', { ...client, redirectUris: [redirectUri] });
    await control('POST', '/people', { subjectId: person });
    ingest.clear();
  });

  const raw = ({ headers, body }: Received) => rawRequest({ body, headers });
  const subscribe = () => control('PUT', '/apps/app/subscriber', { endpointUri: `${ingest.url}/in/google/key`, secret });
  const connect = async (scopes = google.oauth.scopes) => {
    const url = new URL(google.oauth.authorizeUrl({ origins, clientId: 'app', redirectUri, state: 'state', scopes }));
    url.searchParams.set('person', person);
    const back = new URL((await server.call('GET', url.pathname + url.search)).headers.get('location') ?? '');
    const code = back.searchParams.get('code') ?? '';
    const outcome = await google.oauth.exchange(http, { origins, client, code, redirectUri, now: Date.now() });
    if (outcome.is !== 'granted') throw new Error(`not granted: ${outcome.is}`);
    return outcome.grant;
  };
  const put = (collection: string, id: string, document: object) =>
    control<{ deliveries: { fate: string }[] }>('PUT', `/people/${person}/documents/${collection}/${id}`, document);
  const read = (collection: string, window: Parameters<typeof google.fetchRecords>[1], accessToken: string) =>
    google.fetchRecords(collection, window, { http, origins, accessToken, now: Date.now(), whereabouts: nowhere });
  const refresh = (refreshToken: string | undefined, by = client) =>
    google.oauth.refresh(http, { origins, client: by, refreshToken: refreshToken ?? '', now: Date.now() });

  it('on connecting, refreshing with a token that stays, and revoking', async () => {
    const grant = await connect();
    expect(grant.scopes).toEqual(google.oauth.scopes);
    expect(await google.oauth.subject(http, { origins, accessToken: grant.accessToken })).toBe(person);
    expect((await refresh(grant.refreshToken, { ...client, clientSecret: 'wrong' })).is).toBe('transient');
    for (const _ of [1, 2]) expect(await refresh(grant.refreshToken)).toMatchObject({ is: 'granted', grant: { refreshToken: undefined } });
    const revoke = () => google.oauth.revoke(http, { origins, client, accessToken: grant.accessToken, subjectId: person, now: Date.now() });
    expect([await revoke(), await revoke()]).toEqual([true, true]);
    expect((await read('sleep', week, grant.accessToken)).is).toBe('unauthorised');
    expect(await refresh(grant.refreshToken)).toEqual({ is: 'invalid-grant' });
  });

  it('on the probes of an address: one answered 201, its twin refused', async () => {
    expect(await subscribe()).toMatchObject({ endpointUri: `${ingest.url}/in/google/key` });
    expect(ingest.received.map(({ headers }) => headers['authorization'])).toEqual([secret, undefined]);
    await expect(control('PUT', '/apps/app/subscriber', { endpointUri: `${ingest.url}/x`, secret: 'Bearer other' })).rejects.toThrow('409');
  });

  it('on notifications: proved by secret and signature, also after a change of keys, and told in both calendars', async () => {
    await connect();
    await subscribe();
    ingest.clear();
    await control('POST', '/rotate-key');
    expect((await put('steps', '2026-09-14', { document: { countSum: '11342' }, notify: true })).deliveries).toMatchObject([
      { fate: 'delivered' },
    ]);
    await put('sleep', 'n1', { document: night, notify: true });
    await control('DELETE', `/people/${person}/documents/sleep/n1?notify=true`);
    const notices = ingest.received.flatMap((received) => google.notices(raw(received)).notices);
    const slept = { kind: 'instants', from: '2026-09-14T21:10:30.000Z', to: '2026-09-15T04:41:30.000Z' };
    expect(notices).toEqual([
      {
        subjectId: person,
        collection: 'steps',
        kind: 'changed',
        window: { kind: 'days', from: '2026-09-14', to: '2026-09-15' },
        version: undefined,
      },
      { subjectId: person, collection: 'sleep', kind: 'changed', window: slept, version: undefined },
      { subjectId: person, collection: 'sleep', kind: 'deleted', window: slept, version: undefined },
    ]);
  });

  it('on forged notifications', async () => {
    await connect();
    await subscribe();
    const order = { subjectId: person, collection: 'sleep', startTime: night.interval.startTime, endTime: night.interval.endTime };
    const statuses: Record<string, number> = {};
    for (const forge of ['signature', 'body', 'secret', 'no-secret', 'unsigned', 'none']) {
      const { deliveries } = await control<{ deliveries: { status: number }[] }>('POST', '/webhooks', { ...order, forge });
      statuses[forge] = deliveries[0]?.status ?? 0;
    }
    expect(statuses).toEqual({ signature: 401, body: 401, secret: 401, 'no-secret': 401, unsigned: 401, none: 401 });
    const { deliveries } = await control<{ deliveries: { status: number }[] }>('POST', '/webhooks', { ...order, copies: 2 });
    expect(deliveries.map(({ status }) => status)).toEqual([204, 204]);
  });

  it('on reads: totals by days, many pages, and each kind by the filter that it has', async () => {
    const { accessToken } = await connect();
    for (let day = 10; day <= 18; day += 1) {
      await put('steps', `2026-09-${day}`, { countSum: String(day * 100) });
      await put('daily-resting-heart-rate', `2026-09-${day}`, { beatsPerMinute: String(day + 40) });
      await put('weight', `w${day}`, {
        sampleTime: { physicalTime: `2026-09-${day}T21:30:00Z`, utcOffset: '7200s' },
        weightGrams: 72_000 + day,
      });
    }
    await put('sleep', 'n1', night);
    await put('exercise', 'e1', run);
    for (const [second, bpm] of [10, 15, 20, 25].entries()) {
      const physicalTime = `2026-09-14T08:00:0${second}Z`;
      await put('heart-rate', `h${second}`, { sampleTime: { physicalTime, utcOffset: '7200s' }, beatsPerMinute: String(50 + bpm) });
    }
    const values = async (collection: string) => {
      const outcome = await read(collection, week, accessToken);
      if (outcome.is !== 'records' || !outcome.complete) throw new Error(`${collection}: ${JSON.stringify(outcome)}`);
      return outcome.records.map((record) =>
        record.kind === 'daily' || record.kind === 'measurement' ? `${record.localDate} ${record.value}` : record,
      );
    };
    const days = ['10', '11', '12', '13', '14', '15', '16'];
    expect(await values('steps')).toEqual(days.map((day) => `2026-09-${day} ${Number(day) * 100}`));
    expect(await values('daily-resting-heart-rate')).toEqual(days.map((day) => `2026-09-${day} ${Number(day) + 40}`));
    expect(await values('weight')).toEqual(days.map((day) => `2026-09-${day} ${72 + Number(day) / 1000}`));
    expect(await values('sleep')).toMatchObject([
      { kind: 'sleep', providerRecordId: 'n1', localDate: '2026-09-15', detail: { asleepS: 26_520 } },
      '2026-09-15 26520',
    ]);
    expect(await values('exercise')).toMatchObject([{ kind: 'workout', providerRecordId: 'e1', localDate: '2026-09-14' }]);
    expect(await values('heart-rate')).toMatchObject([{ kind: 'series', samples: { offsetsS: [0, 1, 2, 3], values: [60, 65, 70, 75] } }]);
    expect(await values('distance')).toEqual([]);

    // Of types that have both, days and points are read together.
    const stretch = (startTime: string, endTime: string) => ({ startTime, endTime, startUtcOffset: '7200s', endUtcOffset: '7200s' });
    await put('steps-points', 's1', { interval: stretch('2026-09-14T06:00:00Z', '2026-09-14T06:15:00Z'), count: '412' });
    await put('heart-rate-days', '2026-09-14', { beatsPerMinuteAvg: 62, beatsPerMinuteMin: 47, beatsPerMinuteMax: 171 });
    await put('basal-energy-burned', 'b1', { interval: stretch('2026-09-14T06:00:00Z', '2026-09-14T07:00:00Z'), kcal: 70.2 });
    await put('hydration-log', 'd1', {
      interval: stretch('2026-09-14T06:00:00Z', '2026-09-14T06:01:00Z'),
      amountConsumed: { milliliters: 250 },
    });
    await put('daily-vo2-max', '2026-09-14', { vo2Max: 43.2 });
    expect((await values('steps')).slice(7)).toMatchObject([{ metric: 'steps_intraday', samples: { values: [412], intervalS: 900 } }]);
    expect(await values('heart-rate')).toMatchObject(['2026-09-14 62', '2026-09-14 47', '2026-09-14 171', { metric: 'heart_rate' }]);
    expect(await values('basal-energy-burned')).toEqual(['2026-09-14 70.2']);
    expect(await values('hydration-log')).toEqual(['2026-09-14 250']);
    expect(await values('daily-vo2-max')).toEqual(['2026-09-14 43.2']);

    const told = { kind: 'instants', from: run.interval.startTime, to: run.interval.endTime } as const;
    expect(await read('exercise', told, accessToken)).toMatchObject({ is: 'records', records: [{ providerRecordId: 'e1' }] });
    const before = { kind: 'instants', from: '2026-09-14T10:00:00Z', to: '2026-09-14T16:09:00Z' } as const;
    expect(await read('exercise', before, accessToken)).toEqual({ is: 'records', complete: true, records: [] });
  });

  it('on a filter in another kind’s dialect: nothing, with 200, and hyphens are refused', async () => {
    const { accessToken } = await connect();
    await put('sleep', 'n1', night);
    const list = async (filter: string) => {
      const path = `/google/v4/users/me/dataTypes/sleep/dataPoints?${new URLSearchParams({ filter })}`;
      const { status, body } = await server.call('GET', path, undefined, { authorization: `Bearer ${accessToken}` });
      return [status, (body as { dataPoints?: object[] }).dataPoints?.length ?? 0];
    };
    const range = (member: string) => `${member} >= "2026-09-01T00:00:00Z" AND ${member} < "2026-10-01T00:00:00Z"`;
    expect(await list(range('sleep.interval.end_time'))).toEqual([200, 1]);
    expect(await list(range('sleep.interval.start_time'))).toEqual([200, 0]);
    expect((await list(range('body-fat.sample_time.physical_time')))[0]).toBe(400);
  });

  it('on reads that fail', async () => {
    const { accessToken } = await connect();
    await put('weight', 'w1', { sampleTime: { physicalTime: '2026-09-14T21:30:00Z', utcOffset: '0s' }, weightGrams: 72_000 });
    const outcomeUnder = async (faults: object) => {
      await control('PUT', '/faults', faults);
      const outcome = await read('weight', week, accessToken);
      await control('DELETE', '/faults');
      return outcome;
    };
    expect(await outcomeUnder({ failReads: { status: 503, times: 1 } })).toEqual({ is: 'transient', code: 'http_503' });
    expect((await outcomeUnder({ failReads: { status: 'reset', times: 1 } })).is).toBe('transient');
    expect(await outcomeUnder({ failReads: { status: 'garbled', times: 1 } })).toEqual({ is: 'transient', code: 'body_no_json' });
    expect((await outcomeUnder({ rateLimit: { limit: 0, windowS: 30 } })).is).toBe('rate-limited');
    const narrow = await connect(google.oauth.scopes.slice(0, 1));
    expect(await read('weight', week, narrow.accessToken)).toEqual({ is: 'forbidden', scope: google.oauth.scopes[2] });
  });
});
