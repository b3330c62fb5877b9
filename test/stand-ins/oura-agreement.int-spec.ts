// doubles: none; our Oura adapter talks to the Oura stand-in through the client that it gets in production.
// oracles: what the adapter made of it, and what the stand-in counted and holds.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchOuraRecords } from '../../packages/providers/src/oura/fetch-records.js';
import { handshakeOura } from '../../packages/providers/src/oura/handshake.js';
import { ouraNotices } from '../../packages/providers/src/oura/notices.js';
import { ouraOAuth } from '../../packages/providers/src/oura/oauth.js';
import { announcedCollections } from '../../packages/providers/src/oura/collections.js';
import { ouraSubscriptions } from '../../packages/providers/src/oura/subscriptions.js';
import { verifyOura } from '../../packages/providers/src/oura/verify.js';
import { type Agreement, openAgreement } from './agreement.js';
import type { Received } from './receiver-server.js';
import { nowhere } from '../../packages/providers/testing/scripted-http.js';

const redirectUri = 'http://127.0.0.1:9/connect/callback';
const client = { clientId: 'app', clientSecret: 'secret-1' };
const app = {
  clientId: 'app',
  toleranceMs: 300_000,
  secrets: [
    { id: 'sec_1', purpose: 'client_secret', value: 'secret-1' },
    { id: 'sec_2', purpose: 'verification_token', value: 'vt' },
  ],
} as const;

describe('our Oura adapter and the Oura stand-in agree', () => {
  let agreement: Agreement;
  let server: Agreement['server'];
  let control: Agreement['control'];
  let ingest: Agreement['ingest'];
  let http: Agreement['http'];
  let origins: Agreement['origins'];
  beforeAll(async () => {
    agreement = await openAgreement('oura', (request) =>
      request.method === 'GET' ? { do: 'answer', ...handshakeOura(raw(request), app) } : undefined,
    );
    ({ server, control, ingest, http, origins } = agreement);
  });
  afterAll(() => agreement.stop());
  beforeEach(async () => {
    ingest.clear();
    await control('DELETE', '/');
    await control('POST', '/apps', { ...client, redirectUris: [redirectUri], accessTokenTtlS: 120 });
    await control('POST', '/people', { subjectId: 'ada' });
  });

  const raw = ({ method, path, query, headers, body }: Received) => ({
    method,
    url: `${path}?${query.toString()}`,
    query,
    headers: new Map(Object.entries(headers)),
    body,
  });
  const connect = async () => {
    const url = new URL(ouraOAuth.authorizeUrl({ origins, clientId: 'app', redirectUri, state: 'st', scopes: ouraOAuth.scopes }));
    url.searchParams.set('person', 'ada');
    const back = new URL((await server.call('GET', url.pathname + url.search)).headers.get('location') ?? '');
    expect(back.searchParams.get('state')).toBe('st');
    const outcome = await ouraOAuth.exchange(http, {
      origins,
      client,
      code: back.searchParams.get('code') ?? '',
      redirectUri,
      now: Date.now(),
    });
    if (outcome.is !== 'granted') throw new Error(`not granted: ${outcome.is}`);
    return outcome.grant;
  };
  const put = (collection: string, id: string, document: object) => control('PUT', `/people/ada/documents/${collection}/${id}`, document);
  const read = async (collection: string, window: Parameters<typeof fetchOuraRecords>[1], accessToken: string) =>
    fetchOuraRecords(collection, window, { http, origins, accessToken, now: Date.now(), whereabouts: nowhere });

  it('on connecting, refreshing and revoking', async () => {
    const grant = await connect();
    expect(grant.scopes).toEqual(ouraOAuth.scopes);
    expect(grant.expiresAt).toBeGreaterThan(Date.now() + 110_000);
    expect(await ouraOAuth.subject(http, { origins, accessToken: grant.accessToken })).toBe('ada');
    const refreshed = await ouraOAuth.refresh(http, { origins, client, refreshToken: grant.refreshToken ?? '', now: Date.now() });
    expect(refreshed.is).toBe('granted');
    expect(await ouraOAuth.refresh(http, { origins, client, refreshToken: grant.refreshToken ?? '', now: Date.now() })).toEqual({
      is: 'invalid-grant',
    });
    expect((await read('sleep', { kind: 'object', id: 's1' }, grant.accessToken)).is).toBe('unauthorised');

    const again = await connect();
    expect(await ouraOAuth.revoke(http, { origins, client, accessToken: again.accessToken, subjectId: 'ada', now: Date.now() })).toBe(true);
    expect((await read('sleep', { kind: 'object', id: 's1' }, again.accessToken)).is).toBe('unauthorised');
    expect(await ouraOAuth.revoke(http, { origins, client, accessToken: again.accessToken, subjectId: 'ada', now: Date.now() })).toBe(true);
  });

  it('on a wrong client secret, which says nothing about the grant', async () => {
    const grant = await connect();
    const wrong = { clientId: 'app', clientSecret: 'wrong' };
    expect((await ouraOAuth.refresh(http, { origins, client: wrong, refreshToken: grant.refreshToken ?? '', now: Date.now() })).is).toBe(
      'transient',
    );
    expect((await ouraOAuth.refresh(http, { origins, client, refreshToken: grant.refreshToken ?? '', now: Date.now() })).is).toBe(
      'granted',
    );
  });

  it('on subscriptions: made once, found again, led to a new address', async () => {
    const ensure = (path: string) =>
      ouraSubscriptions.ensure(http, { origins, client, callbackUrl: `${ingest.url}${path}`, verificationToken: 'vt', now: Date.now() });
    const { created } = await ensure('/in/oura/key');
    expect(created).toBe(announcedCollections.length * 3);
    expect(await ensure('/in/oura/key')).toMatchObject({ created: 0, renewed: 0, present: created });
    expect(await ensure('/in/oura/other')).toMatchObject({ created: 0, renewed: created, present: 0 });
    const { subscriptions } = await control<{ subscriptions: { callbackUrl: string }[] }>('GET', '/subscriptions');
    expect(subscriptions.map((s) => s.callbackUrl)).toEqual(Array.from({ length: created }, () => `${ingest.url}/in/oura/other`));
  });

  it('on webhooks: a right one is proved and understood, a forged one is not', async () => {
    await connect();
    await ouraSubscriptions.ensure(http, {
      origins,
      client,
      callbackUrl: `${ingest.url}/in/oura/key`,
      verificationToken: 'vt',
      now: Date.now(),
    });
    ingest.clear();
    const order = { subjectId: 'ada', collection: 'sleep', objectId: 's1', eventTime: '2026-09-15T06:05:00.431007+00:00' };
    const arrived = async (more: object) => {
      ingest.clear();
      await control('POST', '/webhooks', { ...order, ...more });
      const [request] = ingest.received;
      if (request === undefined) throw new Error('nothing came');
      return raw(request);
    };
    const verdict = async (more: object) => {
      const verification = verifyOura(await arrived(more), app, Date.now());
      return verification.ok ? 'ok' : verification.code;
    };
    expect(await verdict({})).toBe('ok');
    expect(ouraNotices(await arrived({ eventType: 'delete' })).notices).toEqual([
      {
        subjectId: 'ada',
        collection: 'sleep',
        kind: 'deleted',
        window: { kind: 'object', id: 's1' },
        version: Date.parse('2026-09-15T06:05:00.431Z') * 1000 + 7,
      },
    ]);
    const verdicts: Record<string, string> = {};
    for (const forge of ['signature', 'body', 'none', 'truncated', 'stale', 'future', 'not-json'])
      verdicts[forge] = await verdict({ forge });
    expect(verdicts).toEqual({
      signature: 'signature_mismatch',
      body: 'signature_mismatch',
      none: 'signature_missing',
      truncated: 'signature_mismatch',
      stale: 'timestamp_stale',
      future: 'timestamp_future',
      'not-json': 'ok',
    });
  });

  it('on reads: one document, many pages cut to the days asked for, and nothing there', async () => {
    const { accessToken } = await connect();
    for (let i = 1; i <= 9; i += 1) await put('daily_activity', `d${i}`, { day: `2026-09-0${i}`, steps: i * 1000 });
    await put('sleep', 's1', { day: '2026-09-15' });
    const stepsOf = (outcome: Awaited<ReturnType<typeof read>>) =>
      outcome.is === 'records'
        ? outcome.records.flatMap((r) => (r.kind === 'daily' && r.metric === 'steps' ? [[r.localDate, r.value]] : []))
        : outcome.is;

    expect(stepsOf(await read('daily_activity', { kind: 'object', id: 'd3' }, accessToken))).toEqual([['2026-09-03', 3000]]);
    const days = await read('daily_activity', { kind: 'days', from: '2026-09-02', to: '2026-09-09' }, accessToken);
    expect(stepsOf(days)).toEqual([2, 3, 4, 5, 6, 7, 8].map((i) => [`2026-09-0${i}`, i * 1000]));
    expect(days).toMatchObject({ is: 'records', complete: true });
    const night = await read('sleep', { kind: 'days', from: '2026-09-15', to: '2026-09-16' }, accessToken);
    expect(night).toMatchObject({
      is: 'records',
      records: [
        { kind: 'sleep', localDate: '2026-09-15', detail: { asleepS: 25_200, deepS: 4800 } },
        { metric: 'sleep_duration', value: 25_200 },
        { metric: 'hrv_rmssd_night' },
        { metric: 'respiratory_rate_night' },
      ],
    });
    expect(await read('sleep', { kind: 'object', id: 'none' }, accessToken)).toEqual({ is: 'gone' });
  });

  it('on reads of everything that there is of a day', async () => {
    const { accessToken } = await connect();
    await put('daily_activity', 'a1', { day: '2026-09-15', timestamp: '2026-09-15T04:00:00+02:00', steps: 1 });
    await put('sleep', 's1', { day: '2026-09-15' });
    for (const collection of ['daily_sleep', 'daily_readiness', 'daily_spo2', 'vo2_max', 'workout']) {
      await put(collection, 'x1', { day: '2026-09-15' });
    }
    await put('heartrate', 'h1', { day: '2026-09-15', timestamp: '2026-09-14T23:30:00+00:00', bpm: 55 });
    await put('heartrate', 'h2', { day: '2026-09-15', timestamp: '2026-09-15T21:59:59+00:00', bpm: 62 });
    await put('heartrate', 'h3', { day: '2026-09-15', timestamp: '2026-09-15T22:00:00+00:00', bpm: 99 });
    await control('PUT', '/faults', { pageSize: 1 });
    const of = async (collection: string, window: Parameters<typeof fetchOuraRecords>[1]) => {
      const outcome = await read(collection, window, accessToken);
      if (outcome.is !== 'records') return outcome.is;
      expect(outcome).not.toHaveProperty('faults');
      return outcome.records.map((record) =>
        record.kind === 'daily' || record.kind === 'measurement' ? [record.metric, record.value] : record.kind,
      );
    };
    const day = { kind: 'days', from: '2026-09-15', to: '2026-09-16' } as const;
    const object = { kind: 'object', id: 'x1' } as const;
    expect(await of('daily_sleep', object)).toEqual([['vendor.oura.sleep_score', 81]]);
    expect(await of('daily_readiness', day)).toEqual([
      ['skin_temperature_deviation', -0.11],
      ['vendor.oura.readiness_score', 84],
    ]);
    expect(await of('daily_spo2', object)).toEqual([['spo2_night_avg', 97.4]]);
    expect(await of('vo2_max', object)).toEqual([['vo2max_estimate', 43]]);
    expect(await of('workout', day)).toEqual(['workout']);
    expect(await of('personal_info', day)).toEqual([
      ['body_weight', 72.5],
      ['height', 175],
    ]);
    expect(await of('sleep', { kind: 'object', id: 's1' })).toEqual([
      'sleep',
      ['sleep_duration', 25_200],
      ['hrv_rmssd_night', 48],
      ['respiratory_rate_night', 14.1],
      'series',
    ]);
    const rates = await read('heartrate', day, accessToken);
    expect(rates).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ localDate: '2026-09-15', utcOffsetS: 7_200, samples: { from: '2026-09-14T23:30:00.000Z', values: [55, 62] } }],
    });
    await control('PUT', '/faults', { failReads: { status: 'garbled', times: 1 } });
    expect(await read('heartrate', day, accessToken)).toEqual({ is: 'transient', code: 'body_no_json' });
  });

  it('on one document of another shape among good ones, page by page', async () => {
    const { accessToken } = await connect();
    await put('daily_activity', 'd1', { day: '2026-09-02', steps: 100 });
    await put('daily_activity', 'd2', { day: '2026-09-03', high_activity_time: 'private' });
    await put('daily_activity', 'd3', { day: '2026-09-04', steps: 300 });
    await control('PUT', '/faults', { pageSize: 1 });
    const outcome = await read('daily_activity', { kind: 'days', from: '2026-09-01', to: '2026-09-08' }, accessToken);
    expect(outcome).toMatchObject({ is: 'records', complete: true, faults: ['data[0].high_activity_time is no number'] });
    const days = outcome.is === 'records' ? outcome.records.flatMap((record) => (record.kind === 'daily' ? record.localDate : [])) : [];
    expect([...new Set(days)]).toEqual(['2026-09-02', '2026-09-04']);
    expect(await read('daily_activity', { kind: 'object', id: 'd2' }, accessToken)).toEqual({
      is: 'drift',
      detail: 'high_activity_time is no number',
    });
  });

  it('on reads that fail', async () => {
    const { accessToken } = await connect();
    await put('sleep', 's1', { day: '2026-09-15' });
    const outcomeUnder = async (faults: object) => {
      await control('PUT', '/faults', faults);
      const outcome = await read('sleep', { kind: 'object', id: 's1' }, accessToken);
      await control('DELETE', '/faults');
      return outcome;
    };
    expect(await outcomeUnder({ failReads: { status: 503, times: 1 } })).toEqual({ is: 'transient', code: 'http_503' });
    expect((await outcomeUnder({ failReads: { status: 'reset', times: 1 } })).is).toBe('transient');
    expect(await outcomeUnder({ failReads: { status: 'garbled', times: 1 } })).toEqual({ is: 'transient', code: 'body_no_json' });
    expect(await outcomeUnder({ readDelayMs: 2500 })).toEqual({ is: 'transient', code: 'timeout' });
    const limited = await outcomeUnder({ rateLimit: { limit: 0, windowS: 30 } });
    expect(limited.is).toBe('rate-limited');
    if (limited.is === 'rate-limited') expect(Math.abs(limited.retryAt - Date.now() - 30_000)).toBeLessThan(2_000);
    const { accessToken: narrow } = await control<{ accessToken: string }>('POST', '/people/ada/grants', {
      clientId: 'app',
      scopes: ['personal'],
    });
    expect(await read('sleep', { kind: 'object', id: 's1' }, narrow)).toEqual({ is: 'forbidden', scope: 'daily' });
  });
});
