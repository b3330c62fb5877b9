// doubles: none; our WHOOP adapter talks to the WHOOP stand-in through the client that it gets in production.
// oracles: what the adapter made of it, and what the stand-in counted and holds.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { whoop } from '../../packages/providers/src/whoop/provider.js';
import { noKeys, rawRequest } from '../../packages/providers/testing/raw-request.js';
import { type Agreement, openAgreement } from './agreement.js';
import { nowhere } from '../../packages/providers/testing/scripted-http.js';

const redirectUri = 'http://127.0.0.1:9/connect/callback';
const client = { clientId: 'app', clientSecret: 'secret-1' };
const app = { clientId: 'app', toleranceMs: 300_000, secrets: [{ id: 'sec_1', purpose: 'client_secret', value: 'secret-1' }] } as const;
const night = '6c1f7b52-0b7e-4f8b-9b0f-1a2b3c4d5e6f';
const nap = '11aa22bb-0000-4000-8000-000000000a01';
const run = 'b2d9a0e4-77c1-4b57-8f21-9e8d7c6b5a40';
const week = { kind: 'days', from: '2026-09-10', to: '2026-09-17' } as const;

describe('our WHOOP adapter and the WHOOP stand-in agree', () => {
  let agreement: Agreement;
  let server: Agreement['server'];
  let control: Agreement['control'];
  let ingest: Agreement['ingest'];
  let http: Agreement['http'];
  let origins: Agreement['origins'];
  beforeAll(async () => {
    agreement = await openAgreement('whoop');
    ({ server, control, ingest, http, origins } = agreement);
  });
  afterAll(() => agreement.stop());
  beforeEach(async () => {
    ingest.clear();
    await control('DELETE', '/');
    await control('POST', '/apps', { ...client, redirectUris: [redirectUri], callbackUrl: `${ingest.url}/in/whoop/key` });
    await control('POST', '/people', { subjectId: '4417301' });
  });

  const connect = async (scopes = whoop.oauth.scopes) => {
    const url = new URL(whoop.oauth.authorizeUrl({ origins, clientId: 'app', redirectUri, state: 'state-001', scopes }));
    url.searchParams.set('person', '4417301');
    const back = new URL((await server.call('GET', url.pathname + url.search)).headers.get('location') ?? '');
    expect(back.searchParams.get('state')).toBe('state-001');
    const code = back.searchParams.get('code') ?? '';
    const outcome = await whoop.oauth.exchange(http, { origins, client, code, redirectUri, now: Date.now() });
    if (outcome.is !== 'granted') throw new Error(`not granted: ${outcome.is}`);
    return outcome.grant;
  };
  const put = (collection: string, id: string, document: object) =>
    control<{ deliveries: object[] }>('PUT', `/people/4417301/documents/${collection}/${id}`, document);
  const read = (collection: string, window: Parameters<typeof whoop.fetchRecords>[1], accessToken: string) =>
    whoop.fetchRecords(collection, window, { http, origins, accessToken, now: Date.now(), whereabouts: nowhere });
  const putNight = async (changes: object = {}) => {
    await put('cycle', '935101122', { start: '2026-09-14T21:10:30Z', end: '2026-09-15T21:30:00Z', timezone_offset: '+02:00' });
    await put('sleep', night, {
      cycle_id: 935101122,
      start: '2026-09-14T21:10:30Z',
      end: '2026-09-15T04:41:30Z',
      timezone_offset: '+02:00',
      ...changes,
    });
    await put('recovery', night, { cycle_id: 935101122 });
  };
  const refresh = (refreshToken: string | undefined, by = client) =>
    whoop.oauth.refresh(http, { origins, client: by, refreshToken: refreshToken ?? '', now: Date.now() });

  it('on connecting, rotating refresh tokens, and the end of all access', async () => {
    const grant = await connect();
    expect(grant.scopes).toEqual(whoop.oauth.scopes);
    expect(await whoop.oauth.subject(http, { origins, accessToken: grant.accessToken })).toBe('4417301');
    expect((await refresh(grant.refreshToken, { ...client, clientSecret: 'wrong' })).is).toBe('transient');
    expect((await refresh(grant.refreshToken)).is).toBe('granted');
    expect(await refresh(grant.refreshToken)).toEqual({ is: 'invalid-grant' });
    expect((await read('sleep', week, grant.accessToken)).is).toBe('unauthorised');

    const again = await connect();
    const revoke = () =>
      whoop.oauth.revoke(http, { origins, accessToken: again.accessToken, client, subjectId: '4417301', now: Date.now() });
    expect([await revoke(), await revoke()]).toEqual([true, true]);
    expect((await read('sleep', week, again.accessToken)).is).toBe('unauthorised');
  });

  it('on the scope without which no refresh token comes', async () => {
    expect((await connect(['read:profile', 'read:sleep'])).refreshToken).toBeUndefined();
  });

  it('on a night: the sleep, its recovery by the id of the sleep, and its cycle, all under the day of waking', async () => {
    const { accessToken } = await connect();
    await putNight();
    const daysOf = async (collection: string, window: Parameters<typeof read>[1]) => {
      const outcome = await read(collection, window, accessToken);
      if (outcome.is !== 'records') return outcome.is;
      return Object.fromEntries(
        outcome.records.flatMap((record) =>
          record.kind === 'deleted' ? [] : [[record.kind === 'daily' ? record.metric : record.kind, record.localDate]],
        ),
      );
    };
    const recovery = {
      resting_heart_rate: '2026-09-15',
      hrv_rmssd_night: '2026-09-15',
      spo2_night_avg: '2026-09-15',
      skin_temperature_night: '2026-09-15',
      'vendor.whoop.recovery_score': '2026-09-15',
    };
    expect(await daysOf('recovery', { kind: 'object', id: `recovery/${night}` })).toEqual(recovery);
    expect(await daysOf('recovery', week)).toEqual(recovery);
    const cycle = {
      total_energy: '2026-09-15',
      heart_rate_avg: '2026-09-15',
      heart_rate_max: '2026-09-15',
      'vendor.whoop.strain': '2026-09-15',
    };
    expect(await daysOf('cycle', week)).toEqual(cycle);
    expect(await daysOf('cycle', { kind: 'object', id: '935101122' })).toEqual(cycle);
    expect(await daysOf('sleep', { kind: 'object', id: night })).toMatchObject({
      sleep: '2026-09-15',
      respiratory_rate_night: '2026-09-15',
    });

    await control('DELETE', `/people/4417301/documents/sleep/${night}`);
    expect(await daysOf('recovery', { kind: 'object', id: `recovery/${night}` })).toBe('gone');
    expect(await daysOf('sleep', { kind: 'object', id: night })).toBe('gone');
    expect(await daysOf('recovery', week)).toEqual({});
  });

  it('on a score that is pending, comes, and cannot be given after all', async () => {
    const { accessToken } = await connect();
    const stateOf = async () => {
      const outcome = await read('sleep', { kind: 'object', id: night }, accessToken);
      const [record] = outcome.is === 'records' ? outcome.records : [];
      return record?.kind === 'sleep' ? [record.provisional, record.detail.asleepS, record.version] : outcome;
    };
    await putNight({ score_state: 'PENDING_SCORE', updated_at: '2026-09-15T05:02:11.410Z' });
    expect(await stateOf()).toEqual([true, null, Date.parse('2026-09-15T05:02:11.410Z') * 1000]);
    await putNight({ updated_at: '2026-09-15T05:20:09.020Z' });
    expect(await stateOf()).toEqual([false, 25_080, Date.parse('2026-09-15T05:20:09.020Z') * 1000]);
    await putNight({ score_state: 'UNSCORABLE', updated_at: '2026-09-15T06:00:00.000Z' });
    expect(await stateOf()).toEqual([false, null, Date.parse('2026-09-15T06:00:00.000Z') * 1000]);
  });

  it('on many pages of workouts, cut to the days asked for, and on the body', async () => {
    const { accessToken } = await connect();
    for (let day = 1; day <= 9; day += 1) {
      const id = `${run.slice(0, -1)}${day}`;
      await put('workout', id, { start: `2026-09-0${day}T22:30:00Z`, end: `2026-09-0${day}T23:00:00Z`, timezone_offset: '+02:00' });
    }
    const outcome = await read('workout', { kind: 'days', from: '2026-09-03', to: '2026-09-09' }, accessToken);
    const days = outcome.is === 'records' ? outcome.records.flatMap((record) => (record.kind === 'workout' ? record.localDate : [])) : [];
    expect(days.sort()).toEqual([3, 4, 5, 6, 7, 8].map((day) => `2026-09-0${day}`));
    expect(outcome).toMatchObject({ complete: true });
    expect((await control<{ listReads: number }>('GET', '/calls')).listReads).toBe(3);
    await put('body', 'body', { weight_kilogram: 71.25 });
    expect(await read('body_measurement', week, accessToken)).toMatchObject({ records: [{ value: 71.25 }, { value: 175 }] });
  });

  it('on webhooks: a right one is proved and understood, a forged one is not', async () => {
    await connect();
    const arrived = async (more: object) => {
      ingest.clear();
      await control('POST', '/webhooks', { subjectId: '4417301', collection: 'recovery', objectId: night, traceId: 't-1', ...more });
      const [request] = ingest.received;
      if (request === undefined) throw new Error('nothing came');
      return rawRequest({ body: request.body, headers: request.headers });
    };
    const verdict = async (more: object) => {
      const verification = await whoop.verify(await arrived(more), app, Date.now(), noKeys);
      return verification.ok ? 'ok' : verification.code;
    };
    expect(await verdict({})).toBe('ok');
    expect(whoop.notices(await arrived({ verb: 'deleted' })).notices).toEqual([
      {
        subjectId: '4417301',
        collection: 'recovery',
        kind: 'deleted',
        window: { kind: 'object', id: `recovery/${night}` },
        version: undefined,
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

  it('on what is announced: sleep, recovery and workouts, once or again, or lost; never cycles', async () => {
    await connect();
    const span = { start: '2026-09-14T21:10:30Z', end: '2026-09-15T04:41:30Z' };
    const sent = async (collection: string, id: string, document: object) => {
      ingest.clear();
      await put(collection, id, { document, notify: true });
      return ingest.received.map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type);
    };
    expect(await sent('cycle', '7', span)).toEqual([]);
    expect(await sent('sleep', nap, { ...span, cycle_id: 7, nap: true })).toEqual(['sleep.updated']);
    await control('PUT', '/faults', { duplicateWebhooks: 2 });
    expect(await sent('workout', run, span)).toEqual(['workout.updated', 'workout.updated', 'workout.updated']);
    await control('PUT', '/faults', { duplicateWebhooks: null, dropWebhooks: 1 });
    expect([await sent('workout', run, span), await sent('workout', run, span)]).toEqual([[], ['workout.updated']]);
  });

  it('on one document of another shape among good ones', async () => {
    const { accessToken } = await connect();
    await putNight();
    const span = { start: '2026-09-13T21:00:00Z', end: '2026-09-14T05:00:00Z', cycle_id: 7, nap: false };
    await put('sleep', nap, { ...span, score: { respiratory_rate: 'private' } });
    const outcome = await read('sleep', week, accessToken);
    expect(outcome).toMatchObject({ is: 'records', complete: true, faults: ['records[1].score.respiratory_rate is no number'] });
    expect(outcome.is === 'records' && outcome.records[0]).toMatchObject({ kind: 'sleep', providerRecordId: night });
    expect(await read('sleep', { kind: 'object', id: nap }, accessToken)).toEqual({
      is: 'drift',
      detail: 'score.respiratory_rate is no number',
    });
  });

  it('on reads that fail', async () => {
    const { accessToken } = await connect();
    await putNight();
    const outcomeUnder = async (faults: object) => {
      await control('PUT', '/faults', faults);
      const outcome = await read('sleep', { kind: 'object', id: night }, accessToken);
      await control('DELETE', '/faults');
      return outcome;
    };
    expect(await outcomeUnder({ failReads: { status: 503, times: 1 } })).toEqual({ is: 'transient', code: 'http_503' });
    expect((await outcomeUnder({ failReads: { status: 'reset', times: 1 } })).is).toBe('transient');
    expect(await outcomeUnder({ failReads: { status: 'garbled', times: 1 } })).toEqual({ is: 'transient', code: 'body_no_json' });
    expect(await outcomeUnder({ notReady: 1 })).toEqual({ is: 'gone' });
    const limited = await outcomeUnder({ rateLimit: { limit: 0, windowS: 30 } });
    expect(limited.is).toBe('rate-limited');
    if (limited.is === 'rate-limited') expect(Math.abs(limited.retryAt - Date.now() - 30_000)).toBeLessThan(2_000);
    const { accessToken: narrow } = await control<{ accessToken: string }>('POST', '/people/4417301/grants', {
      clientId: 'app',
      scopes: ['read:profile'],
    });
    expect(await read('sleep', { kind: 'object', id: night }, narrow)).toEqual({ is: 'forbidden', scope: 'read:sleep' });
  });
});
