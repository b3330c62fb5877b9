import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Window, grantCollection } from '@tributary/domain';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import { tinkKeyPair, tinkKeyset } from '../../testing/tink-keys.js';
import { type AppForVerification, ProviderUnreachable, type RemoteKeys } from '../provider.js';
import { isGoogleCollection } from './collections.js';
import { google } from './provider.js';
import { googleKeysetUrl } from './verify.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const recorded = JSON.parse(fixture('signature.json').toString()) as {
  secret: string;
  headers: Record<string, string>;
  keyset: { key: Record<string, unknown>[] };
};
const notification = fixture('google-webhook-notification.json');
const pair = tinkKeyPair(0xf0000001);
const keyset = JSON.stringify({ key: [...recorded.keyset.key, pair.entry] });
const holding = (text: string): RemoteKeys => ({ current: async () => text, renewed: async () => undefined });

const person = '7203998815540021993';
const instants = (from: string, to: string): Window => ({ kind: 'instants', from, to });
const changed = (collection: string, window: Window, subjectId = person) => ({
  subjectId,
  collection,
  kind: 'changed' as const,
  window,
  version: undefined,
});
const body = (value: unknown) => Buffer.from(JSON.stringify(value));
const data = (fields: Record<string, unknown> = {}) => ({
  data: {
    version: '1',
    healthUserId: 'u1',
    operation: 'UPSERT',
    dataType: 'exercise',
    intervals: [{ physicalTimeInterval: { startTime: '2026-09-14T16:10:00Z', endTime: '2026-09-14T16:41:04Z' } }],
    ...fields,
  },
});
const run = instants('2026-09-14T16:10:00.000Z', '2026-09-14T16:41:04.000Z');
const genuine = [
  changed('steps', { kind: 'days', from: '2026-09-14', to: '2026-09-15' }),
  changed('steps', instants('2026-03-02T20:00:00.000Z', '2026-03-02T21:00:00.000Z')),
  changed('sleep', instants('2026-09-15T03:30:00.000Z', '2026-09-15T04:41:30.000Z')),
];

provesProvider(google, {
  proof: {
    grade: 'signed',
    purpose: 'webhook_secret',
    secretOf: (word) => `Bearer ${word}`,
    signatureHeader: 'GOOGLE-HEALTH-API-SIGNATURE',
    ignoresCase: false,
    otherNames: [{ 'google-health-api-signature': 'X-HEALTHAPI-SIGNATURE' }],
    sign: (bytes, secret) => ({ Authorization: secret, 'GOOGLE-HEALTH-API-SIGNATURE': pair.sign(bytes) }),
    vector: { secret: recorded.secret, headers: recorded.headers, body: notification },
    keys: holding(keyset),
  },
  deliveryId: 'reopenable',
  genuine: { body: notification, notices: genuine },
  unread: body([data({ dataType: 'time-in-heart-rate-zone', healthUserId: undefined })]),
  extended: { body: body([{ ...data({ region: 'eu', more: { deep: [1] } }), eventId: 7 }]), notices: [changed('exercise', run, 'u1')] },
  longId: { body: Buffer.from(notification.toString().replaceAll(`"${person}"`, '9007199254740993')), subjectId: '9007199254740993' },
  several: {
    body: body([data(), data({ healthUserId: 'u2', dataType: 'weight' }), data({ healthUserId: 'u2' }), data()]),
    notices: [changed('exercise', run, 'u1'), changed('weight', run, 'u2'), changed('exercise', run, 'u2')],
  },
  malformed: [
    { body: Buffer.from('{"private":'), names: 'body: not JSON' },
    { body: Buffer.concat([Buffer.from('[{"data":"'), Buffer.of(0xff), Buffer.from('"}]')]), names: 'body: not UTF-8' },
    { body: body('private'), names: 'body: expected an object' },
    { body: body(null), names: 'body: expected an object' },
    { body: body({ private: 1 }), names: 'data: expected an object' },
    { body: body([data(), 'private']), names: '[1]: expected an object' },
    { body: body([data(), { data: ['private'] }]), names: '[1].data: expected an object' },
    { body: body(data({ dataType: 7 })), names: 'data.dataType:' },
    { body: body([data({ healthUserId: '' })]), names: '[0].data.healthUserId:' },
    { body: body([data({ healthUserId: 'private\0' })]), names: '[0].data.healthUserId:' },
    { body: body([data({ healthUserId: 'private\ud800' })]), names: '[0].data.healthUserId:' },
    { body: body([data({ healthUserId: 'p'.repeat(257) })]), names: '[0].data.healthUserId: longer' },
    { body: body([data({ intervals: 'private' })]), names: '[0].data.intervals: expected a list' },
    { body: body([data({ intervals: [{}, 'private'] })]), names: '[0].data.intervals[0]: holds no interval' },
    { body: body([data({ intervals: ['private'] })]), names: '[0].data.intervals[0]: expected an object' },
  ],
  reads: (collection) => isGoogleCollection(collection) || collection === grantCollection,
  statuses: { accepted: 204, malformed: 204 },
});

describe('Google’s two proofs', () => {
  const app: AppForVerification = {
    clientId: 'c',
    toleranceMs: 0,
    secrets: [{ id: 's1', purpose: 'webhook_secret', value: 'Bearer word' }],
  };
  const signed = (headers: Record<string, string>, keys: RemoteKeys, bytes = notification) =>
    google.verify(rawRequest({ body: bytes, headers: { authorization: 'Bearer word', ...headers } }), app, 0, keys);
  const name = 'google-health-api-signature';

  it('hold only together: a signature without the secret is refused before any key is asked for', async () => {
    for (const authorization of ['', 'word', 'bearer word', 'Bearer word, Bearer word', 'Bearer wörd', 'Basic word']) {
      const refusal = { ok: false, code: authorization === '' ? 'signature_missing' : 'signature_mismatch' };
      expect(await signed({ authorization, [name]: pair.sign(notification) }, noKeys)).toEqual(refusal);
    }
  });

  it('may come under both names at once, of which one proves', async () => {
    const ok = { ok: true, grade: 'signed', secretId: 's1', signedAt: undefined };
    const right = pair.sign(notification);
    expect(await signed({ [name]: 'private', 'x-healthapi-signature': right }, holding(keyset))).toEqual(ok);
    expect(await signed({ [name]: right, 'x-healthapi-signature': 'private' }, holding(keyset))).toEqual(ok);
    expect(await signed({ [name]: 'AQAA', 'x-healthapi-signature': 'private' }, holding(keyset))).toMatchObject({ ok: false });
  });

  it('look for the keys of an app of the sandbox where the sandbox plays Google, and nowhere else', async () => {
    const asked: string[] = [];
    const keys: RemoteKeys = { current: async (url) => (asked.push(url), keyset), renewed: async () => undefined };
    const request = rawRequest({ body: notification, headers: { authorization: 'Bearer word', [name]: pair.sign(notification) } });
    expect(await google.verify(request, { ...app, keyOrigin: 'http://sandbox.test/google' }, 0, keys)).toMatchObject({ ok: true });
    expect(await google.verify(request, app, 0, keys)).toMatchObject({ ok: true });
    expect(asked).toEqual([
      'http://sandbox.test/google/googlehealthapi/webhooks/webhooks_public_keyset.json',
      'https://www.gstatic.com/googlehealthapi/webhooks/webhooks_public_keyset.json',
    ]);
  });

  it('ask for the key set anew when it lacks the key, once, and only there', async () => {
    const next = tinkKeyPair(42);
    const asked: string[] = [];
    const keys = (after: string | undefined): RemoteKeys => ({
      current: async (url) => (asked.push(`current ${url}`), keyset),
      renewed: async (url) => (asked.push(`renewed ${url}`), after),
    });
    const both = [`current ${googleKeysetUrl}`, `renewed ${googleKeysetUrl}`];
    expect(await signed({ [name]: next.sign(notification) }, keys(tinkKeyset(pair, next)))).toMatchObject({ ok: true });
    expect(asked.splice(0)).toEqual(both);
    expect(await signed({ [name]: next.sign(notification) }, keys(undefined))).toEqual({ ok: false, code: 'signature_mismatch' });
    expect(asked.splice(0)).toEqual(both);
    expect(await signed({ [name]: next.sign(notification) }, keys(tinkKeyset(pair)))).toEqual({ ok: false, code: 'signature_mismatch' });
    expect(asked.splice(0)).toEqual(both);
    expect(await signed({ [name]: pair.sign(body({})) }, keys(undefined))).toEqual({ ok: false, code: 'signature_mismatch' });
    expect(asked.splice(0)).toEqual(both.slice(0, 1));
    expect(new URL(googleKeysetUrl).origin).toBe(google.facts.keyOrigins?.[0]);
  });

  it('cannot be judged without a key set: that is no refusal, the delivery is to come again', async () => {
    const right = { [name]: pair.sign(notification) };
    await expect(signed(right, holding('<html>moved</html>'))).rejects.toThrow(ProviderUnreachable);
    const away = () => Promise.reject(new ProviderUnreachable('ECONNREFUSED'));
    await expect(signed(right, { current: away, renewed: away })).rejects.toThrow(ProviderUnreachable);
  });

  it('end with a key that was withdrawn', async () => {
    expect(await signed({ [name]: pair.sign(notification) }, holding(keyset))).toMatchObject({ ok: true });
    const withdrawn = tinkKeyset({ ...pair, entry: { ...pair.entry, status: 'DISABLED' } }, tinkKeyPair(3));
    expect(await signed({ [name]: pair.sign(notification) }, holding(withdrawn))).toEqual({ ok: false, code: 'signature_mismatch' });
  });

  const probe = Buffer.from('{"type":"verification"}');

  it('C013: the probe with the secret passes unsigned, its twin without must fail', async () => {
    expect(await signed({}, noKeys, probe)).toEqual({ ok: true, grade: 'shared-secret', secretId: 's1', signedAt: undefined });
    expect(google.notices(rawRequest({ body: probe }))).toMatchObject({ notices: [], handshake: true, answer: { status: 201 } });
    expect(await google.verify(rawRequest({ body: probe }), app, 0, noKeys)).toEqual({ ok: false, code: 'signature_missing' });
    expect(google.answer('unauthenticated').status).toBe(401);
  });

  it('C013: nothing but the probe passes unsigned, and the probe among notifications is none', async () => {
    const others: unknown[] = [
      [{ type: 'verification' }],
      [data(), { type: 'verification' }],
      { type: 'verification', ...data() },
      { type: 'VERIFICATION' },
      { type: ['verification'] },
      'verification',
      null,
      data(),
    ];
    for (const value of others)
      expect([value, await signed({}, noKeys, body(value))]).toEqual([value, { ok: false, code: 'signature_missing' }]);
    const padded = Buffer.concat([probe, Buffer.alloc(2_000, ' ')]);
    for (const bytes of [padded, Buffer.from('{"type":'), Buffer.alloc(0)])
      expect(await signed({}, noKeys, bytes)).toEqual({ ok: false, code: 'signature_missing' });
    const parsed = google.notices(rawRequest({ body: body([{ type: 'verification' }, data()]) }));
    expect(parsed).toEqual({ deliveryId: parsed.deliveryId, notices: [changed('exercise', run, 'u1')] });
  });

  it('a probe with a wrong signature is refused', async () => {
    expect(await signed({ [name]: pair.sign(notification) }, holding(keyset), probe)).toEqual({ ok: false, code: 'signature_mismatch' });
  });
});

describe('Google’s spans', () => {
  const read = (fields: Record<string, unknown>) => google.notices(rawRequest({ body: body(data(fields)) })).notices;
  const windowOf = (interval: unknown, dataType = 'steps') => read({ dataType, intervals: [interval] })[0]?.window;
  const days = (from: string, to: string) => ({ kind: 'days', from, to });
  const civil = (start: unknown, end: unknown) => ({ civilDateTimeInterval: { startDateTime: start, endDateTime: end } });
  const date = (day: number, time?: Record<string, number>) => ({ date: { year: 2026, month: 11, day }, ...(time && { time }) });
  const physical = { physicalTimeInterval: { startTime: '2026-11-28T22:00:00Z', endTime: '2026-11-29T22:00:00Z' } };

  it('parts of what is a value of the day make that value doubtful', () => {
    const collections = ['run-vo2-max', 'respiratory-rate-sleep-summary', 'constructor'].map(
      (dataType) => read({ dataType })[0]?.collection,
    );
    expect(collections).toEqual(['daily-vo2-max', 'daily-respiratory-rate', undefined]);
  });

  it('a deletion is told as one', () => {
    expect(google.notices(rawRequest({ body: fixture('google-webhook-delete.json') })).notices).toEqual([
      { ...changed('exercise', run), kind: 'deleted' },
    ]);
  });

  it('any other operation asks for a look, also one that we do not know', () => {
    for (const operation of ['UPSERT', 'UPDATE', 'MERGE', undefined, 7]) expect(read({ operation })[0]?.kind).toBe('changed');
  });

  it('civil days stay civil days: the end of a day at midnight is outside, later it is inside', () => {
    expect(windowOf(civil(date(29), date(30)))).toEqual(days('2026-11-29', '2026-11-30'));
    expect(windowOf(civil(date(29, {}), date(30, {})))).toEqual(days('2026-11-29', '2026-11-30'));
    expect(windowOf(civil(date(29, { hours: 8 }), date(30, { nanos: 1 })))).toEqual(days('2026-11-29', '2026-12-01'));
    expect(windowOf(civil(date(30), date(30)))).toEqual(days('2026-11-30', '2026-12-01'));
  });

  it('the ISO interval is read in both of its shapes', () => {
    for (const [start, end, to] of [
      ['2026-11-29', '2026-11-30', '2026-11-30'],
      ['2026-11-29', '2026-11-29', '2026-11-30'],
      ['2026-11-29T00:00:00', '2026-11-30T00:00:00', '2026-11-30'],
      ['2026-11-29T23:10', '2026-11-30T06:41:30.5', '2026-12-01'],
    ] as const) {
      expect(windowOf({ civilIso8601TimeInterval: `${start}/${end}` })).toEqual(days('2026-11-29', to));
      expect(windowOf({ civilIso8601TimeInterval: { startTime: start, endTime: end } })).toEqual(days('2026-11-29', to));
    }
  });

  it('where both calendars are told, totals take the days and sessions the instants', () => {
    const both = { ...physical, civilIso8601TimeInterval: '2026-11-29/2026-11-30' };
    expect(windowOf(both)).toEqual(days('2026-11-29', '2026-11-30'));
    expect(windowOf(both, 'sleep')).toEqual(instants('2026-11-28T22:00:00.000Z', '2026-11-29T22:00:00.000Z'));
    expect(windowOf(physical)).toEqual(windowOf(both, 'sleep'));
  });

  it('an interval that cannot be read leaves the word to the one beside it', () => {
    for (const unreadable of [
      '2026-11-29',
      '2026-11-29/2026-11-30/2026-12-01',
      '2026-11-30/2026-11-29',
      '2026-13-01/2026-13-02',
      '2026-11-29T00:00:00Z/2026-11-30T00:00:00Z',
      '0001-01-01/9999-12-31',
      { startTime: '2026-11-29', endTime: 7 },
      7,
    ])
      expect([unreadable, windowOf({ ...physical, civilIso8601TimeInterval: unreadable })]).toEqual([unreadable, windowOf(physical)]);
    for (const unreadable of [
      civil(date(29), {}),
      civil({ date: { year: 2026, month: 11 } }, date(30)),
      civil(7, date(30)),
      civil(date(31), date(31)),
    ])
      expect(windowOf({ ...physical, ...unreadable })).toEqual(windowOf(physical));
  });

  it('instants are taken outwards to the millisecond, and one alone still has its sample inside', () => {
    const at = (startTime: string, endTime: string) => windowOf({ physicalTimeInterval: { startTime, endTime } }, 'weight');
    expect(at('2026-11-29T07:00:00.123456Z', '2026-11-29T07:00:00.123456Z')).toEqual(
      instants('2026-11-29T07:00:00.123Z', '2026-11-29T07:00:00.124Z'),
    );
    expect(at('2026-11-29T07:00:00Z', '2026-11-29T07:00:05.000001Z')).toEqual(
      instants('2026-11-29T07:00:00.000Z', '2026-11-29T07:00:05.001Z'),
    );
    expect(at('2026-11-29T07:00:00Z', '2026-11-29T07:00:00Z')).toEqual(instants('2026-11-29T07:00:00.000Z', '2026-11-29T07:00:00.001Z'));
    expect(at('2026-11-29T08:00:00+01:00', '2026-11-29T08:00:00.5+01:00')).toEqual(
      instants('2026-11-29T07:00:00.000Z', '2026-11-29T07:00:00.500Z'),
    );
    expect(() => at('2026-11-29T08:00:00Z', '2026-11-29T07:00:00Z')).toThrow('data.intervals[0]: holds no interval that we can read');
    expect(() => at('0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z')).toThrow('data.intervals[0]');
  });

  it('far-apart intervals stay apart, equal ones become one notice, and none at all asks for the whole', () => {
    const steps = google.notices(rawRequest({ body: notification })).notices.filter(({ collection }) => collection === 'steps');
    expect(steps).toHaveLength(2);
    expect(read({ intervals: [physical, physical] })).toHaveLength(1);
    for (const intervals of [[], undefined, null]) expect(read({ intervals })).toEqual([changed('exercise', { kind: 'whole' }, 'u1')]);
  });

  it('an item that cannot be read takes no other with it; the first is complained of', () => {
    const items = [data(), { data: { dataType: 'steps' } }, 7, data({ intervals: [{}] }), data({ healthUserId: 'u2' })];
    const given = google.notices(rawRequest({ body: body(items) }));
    expect(given.notices.map(({ subjectId }) => subjectId)).toEqual(['u1', 'u2']);
    expect(given.complaint).toBe('[1].data.healthUserId: expected text');
    expect(given.bystanders).toBeUndefined();
  });

  it('C121: types that nobody reads are counted, each once', () => {
    const unread = (...types: string[]) => google.notices(rawRequest({ body: body(types.map((dataType) => data({ dataType }))) })).unread;
    expect([unread('steps'), unread('to-come'), unread('steps', 'to-come', 'ecg', 'to-come')]).toEqual([undefined, 1, 2]);
  });

  it('says when a body holds something of somebody who has no notice in it', () => {
    const beside = (healthUserId: unknown) =>
      google.notices(rawRequest({ body: body([data(), data({ dataType: 'to-come', healthUserId })]) })).bystanders;
    expect(beside('u1')).toBeUndefined();
    for (const other of ['u2', undefined, null]) expect(beside(other)).toBe(true);
  });

  it('C145: an id beyond 64 bits keeps every digit', () => {
    const [notice] = google.notices(
      rawRequest({ body: Buffer.from(body(data()).toString().replace('"u1"', '123456789012345678901234567890')) }),
    ).notices;
    expect(notice?.subjectId).toBe('123456789012345678901234567890');
  });
});
