// doubles: none; our Strava adapter talks to the Strava stand-in through the client that it gets in production.
// oracles: what the adapter made of it, and what the stand-in counted and holds.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderUnreachable } from '@tributary/providers';
import { strava } from '../../packages/providers/src/strava/provider.js';
import { noKeys, rawRequest } from '../../packages/providers/testing/raw-request.js';
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
const week = { kind: 'days', from: '2026-09-10', to: '2026-09-17' } as const;
const raw = ({ method, path, query, headers, body }: Received) =>
  rawRequest({ method, url: `${path}?${query.toString()}`, query, headers, body });

describe('our Strava adapter and the Strava stand-in agree', () => {
  let agreement: Agreement;
  let server: Agreement['server'];
  let control: Agreement['control'];
  let ingest: Agreement['ingest'];
  let http: Agreement['http'];
  let origins: Agreement['origins'];
  beforeAll(async () => {
    agreement = await openAgreement('strava', (request) =>
      request.method === 'GET' ? { do: 'answer', ...strava.handshake(raw(request), app) } : undefined,
    );
    ({ server, control, ingest, http, origins } = agreement);
  });
  afterAll(() => agreement.stop());
  beforeEach(async () => {
    ingest.clear();
    await control('DELETE', '/');
    await control('POST', '/apps', { ...client, redirectUris: [redirectUri] });
    await control('POST', '/people', { subjectId: '90417733' });
  });

  const connect = async (granted?: string) => {
    const url = new URL(strava.oauth.authorizeUrl({ origins, clientId: 'app', redirectUri, state: 'st', scopes: strava.oauth.scopes }));
    url.searchParams.set('person', '90417733');
    if (granted !== undefined) url.searchParams.set('granted', granted);
    const back = new URL((await server.call('GET', url.pathname + url.search)).headers.get('location') ?? '').searchParams;
    const [code, grantedScope] = [back.get('code') ?? '', back.get('scope') ?? ''];
    const outcome = await strava.oauth.exchange(http, { origins, client, code, redirectUri, grantedScope, now: Date.now() });
    if (outcome.is !== 'granted') throw new Error(`not granted: ${outcome.is}`);
    return outcome.grant;
  };
  const put = (collection: string, id: string, document: object) =>
    control('PUT', `/people/90417733/documents/${collection}/${id}`, document);
  const read = (collection: string, window: Parameters<typeof strava.fetchRecords>[1], accessToken: string) =>
    strava.fetchRecords(collection, window, { http, origins, accessToken, now: Date.now(), whereabouts: nowhere });
  const activity = (id: string, accessToken: string) => read('activity', { kind: 'object', id }, accessToken);
  const refresh = (refreshToken: string | undefined, by = client) =>
    strava.oauth.refresh(http, { origins, client: by, refreshToken: refreshToken ?? '', now: Date.now() });
  const ensure = (path = '/in/strava/key', verificationToken = 'vt') =>
    strava.subscriptions.ensure(http, { origins, client, callbackUrl: `${ingest.url}${path}`, verificationToken, now: Date.now() });

  it('on connecting with what was ticked, refreshing, and giving the token back', async () => {
    const grant = await connect('read,activity:read');
    expect(grant.scopes).toEqual(['read', 'activity:read']);
    expect(await strava.oauth.subject(http, { origins, accessToken: grant.accessToken })).toBe('90417733');
    expect((await refresh(grant.refreshToken, { ...client, clientSecret: 'wrong' })).is).toBe('transient');
    expect((await refresh(grant.refreshToken)).is).toBe('granted');
    expect(await refresh(grant.refreshToken)).toEqual({ is: 'invalid-grant' });
    expect((await activity('1', grant.accessToken)).is).toBe('unauthorised');

    const { accessToken } = await connect();
    const input = { origins, client, accessToken, subjectId: '90417733', now: Date.now() };
    expect([await strava.oauth.revoke(http, input), await strava.oauth.revoke(http, input)]).toEqual([true, true]);
    expect((await activity('1', accessToken)).is).toBe('unauthorised');
  });

  it('on the one subscription: proved while it is made, found again, led to a new address', async () => {
    expect(await ensure()).toEqual({ created: 1, renewed: 0, present: 0 });
    expect(await ensure()).toEqual({ created: 0, renewed: 0, present: 1 });
    expect(await ensure('/in/strava/other')).toEqual({ created: 0, renewed: 1, present: 0 });
    const { subscriptions } = await control<{ subscriptions: { callbackUrl: string }[] }>('GET', '/subscriptions');
    expect(subscriptions.map((one) => one.callbackUrl)).toEqual([`${ingest.url}/in/strava/other`]);
    await control('DELETE', '/');
    await control('POST', '/apps', client);
    await expect(ensure('/in/strava/key', 'wrong')).rejects.toThrow(new ProviderUnreachable('subscription_create_http_400'));
  });

  it('on an activity and its heart rate, made private to one who may not see it, and gone', async () => {
    const { accessToken } = await connect();
    const { accessToken: narrow } = await connect('read,activity:read');
    const run = { start_date: '2026-09-14T22:30:00Z', has_heartrate: true };
    await put('activity', '17654321987', run);
    await put('streams', '17654321987', { time: [0, 1, 2, 5], heartrate: [96, 97, null, 101] });
    const seen = await activity('17654321987', accessToken);
    expect(seen).toMatchObject({
      is: 'records',
      records: [
        { kind: 'workout', localDate: '2026-09-15', start: '2026-09-14T22:30:00.000Z', detail: { totalEnergyKcal: 318 } },
        { kind: 'series', localDate: '2026-09-15', samples: { offsetsS: [0, 1, 5], values: [96, 97, 101] } },
      ],
    });
    expect(await activity('17654321987', narrow)).toEqual(seen);
    await put('activity', '17654321987', { ...run, private: true });
    expect(await activity('17654321987', narrow)).toEqual({ is: 'gone' });
    // The document is another, and what is made of it the same.
    const withoutHash = (outcome: typeof seen) =>
      outcome.is === 'records' ? outcome.records.map((record) => ({ ...record, inputHash: undefined })) : outcome.is;
    expect(withoutHash(await activity('17654321987', accessToken))).toEqual(withoutHash(seen));
    await control('DELETE', '/people/90417733/documents/activity/17654321987');
    expect(await activity('17654321987', accessToken)).toEqual({ is: 'gone' });
  });

  it('on a span of days: every page, cut by the local day, with the same content as one by one', async () => {
    const { accessToken } = await connect();
    for (let day = 8; day <= 18; day += 1)
      await put('activity', String(day), { start_date: `2026-09-${String(day).padStart(2, '0')}T22:30:00Z` });
    const span = await read('activity', week, accessToken);
    const records = span.is === 'records' ? span.records : [];
    expect(span).toMatchObject({ complete: true });
    expect(records.map((record) => record.providerRecordId)).toEqual(['15', '14', '13', '12', '11', '10', '9']);
    const one = await activity('12', accessToken);
    expect(one).toEqual({ is: 'records', complete: true, records: records.filter((record) => record.providerRecordId === '12') });
  });

  it('on the weight of the athlete, for one who may see it', async () => {
    await put('athlete', 'profile', { weight: 71.5 });
    expect(await read('athlete', week, (await connect()).accessToken)).toMatchObject({ records: [{ metric: 'body_weight', value: 71.5 }] });
    expect(await read('athlete', week, (await connect('read')).accessToken)).toMatchObject({ records: [] });
  });

  it('on webhooks: as good as their address without a signature, proved or refused with one', async () => {
    await connect();
    await ensure();
    const arrived = async (more: object) => {
      ingest.clear();
      await control('POST', '/webhooks', { subjectId: '90417733', objectId: '17654321987', eventTimeS: 1_789_404_080, ...more });
      const request = ingest.received.find(({ method }) => method === 'POST');
      if (request === undefined) throw new Error('nothing came');
      return raw(request);
    };
    const verdict = async (more: object) => {
      const verification = await strava.verify(await arrived(more), app, Date.now(), noKeys);
      return verification.ok ? verification.grade : verification.code;
    };
    expect([await verdict({}), await verdict({ secret: 'secret-1' })]).toEqual(['path-secret', 'signed']);
    expect(strava.notices(await arrived({ aspect: 'delete' })).notices).toEqual([
      {
        subjectId: '90417733',
        collection: 'activity',
        kind: 'deleted',
        window: { kind: 'object', id: '17654321987' },
        version: 1_789_404_080_999_999,
      },
    ]);
    const left = { collection: 'athlete', objectId: '90417733', updates: { authorized: 'false' } };
    expect(strava.notices(await arrived(left)).notices).toMatchObject([{ collection: 'grant', subjectId: '90417733' }]);
    const verdicts: Record<string, string> = {};
    for (const forge of ['signature', 'body', 'none', 'truncated', 'stale', 'future', 'not-json'])
      verdicts[forge] = await verdict({ forge });
    expect(verdicts).toEqual({
      signature: 'signature_mismatch',
      body: 'signature_mismatch',
      none: 'path-secret',
      truncated: 'signature_mismatch',
      stale: 'timestamp_stale',
      future: 'timestamp_future',
      'not-json': 'signed',
    });
  });

  it('on what is announced, once or again, or lost', async () => {
    await connect();
    await ensure();
    const sent = async (method: string, body?: object) => {
      ingest.clear();
      await control(method, '/people/90417733/documents/activity/7', body);
      return ingest.received.map(({ body: bytes }) => (JSON.parse(bytes.toString()) as { aspect_type: string }).aspect_type);
    };
    const document = { start_date: '2026-09-14T16:10:00Z' };
    expect(await sent('PUT', { document, notify: true })).toEqual(['create']);
    await control('PUT', '/faults', { duplicateWebhooks: 1 });
    expect(await sent('PUT', { document, notify: { updates: { title: 'Ranní běh 🏃‍♀️' } } })).toEqual(['update', 'update']);
    await control('PUT', '/faults', { duplicateWebhooks: null, dropWebhooks: 1 });
    expect(await sent('PUT', { document, notify: true })).toEqual([]);
    expect(await sent('DELETE', { notify: true })).toEqual(['delete']);
  });

  it('on one activity of another shape among good ones', async () => {
    const { accessToken } = await connect();
    for (const id of ['10', '11', '12']) {
      const plain = { start_date: `2026-09-${id}T10:00:00Z` };
      await put('activity', id, id === '11' ? { ...plain, average_cadence: 'private' } : plain);
    }
    const outcome = await read('activity', week, accessToken);
    expect(outcome).toMatchObject({
      is: 'records',
      complete: true,
      records: [{ providerRecordId: '12' }, { providerRecordId: '10' }],
      faults: ['[1].average_cadence is no number'],
    });
    expect(await activity('11', accessToken)).toEqual({ is: 'drift', detail: 'average_cadence is no number' });
  });

  it('on reads that fail', async () => {
    const { accessToken } = await connect();
    await put('activity', '7', { start_date: '2026-09-14T16:10:00Z' });
    const outcomeUnder = async (faults: object) => {
      await control('PUT', '/faults', faults);
      const outcome = await activity('7', accessToken);
      await control('DELETE', '/faults');
      return outcome;
    };
    expect(await outcomeUnder({ failReads: { status: 503, times: 1 } })).toEqual({ is: 'transient', code: 'http_503' });
    expect((await outcomeUnder({ failReads: { status: 'reset', times: 1 } })).is).toBe('transient');
    expect(await outcomeUnder({ failReads: { status: 'garbled', times: 1 } })).toEqual({ is: 'transient', code: 'body_no_json' });
    expect(await outcomeUnder({ notReady: 1 })).toEqual({ is: 'gone' });
    const limited = await outcomeUnder({ rateLimit: { limit: 0, windowS: 30 } });
    expect(limited.is).toBe('rate-limited');
    if (limited.is === 'rate-limited') expect(limited.retryAt % 900_000 === 0 || limited.retryAt - Date.now() < 1_500).toBe(true);
    const { accessToken: none } = await connect('read');
    expect(await activity('7', none)).toEqual({ is: 'forbidden', scope: 'activity:read' });
  });
});
