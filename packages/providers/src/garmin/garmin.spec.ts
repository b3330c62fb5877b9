import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Notice, type Window, grantCollection } from '@tributary/domain';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import { MalformedDelivery } from '../provider.js';
import { garminCollections, isGarminCollection } from './collections.js';
import { garmin } from './provider.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/garmin-webhook-${name}.json`, import.meta.url));
const ping = fixture('ping');
const dailies = fixture('push-dailies');
const ann = '3f0c1d52-77aa-4c1e-9d4b-0a55c2e1b901';
const bob = 'c7b9e0aa-1203-4f6e-8d11-5b7f3a90d2e4';

const changed = (collection: string, window: Window, subjectId = ann) => ({
  subjectId,
  collection,
  kind: 'changed' as const,
  window,
  version: undefined,
});
const instants = (from: string, to: string): Window => ({ kind: 'instants', from, to });
const day = (from: string, to: string): Window => ({ kind: 'days', from, to });
const summary = (id: string): Window => ({ kind: 'object', id });
const grant = (subjectId = ann) => changed(grantCollection, { kind: 'whole' }, subjectId);
const body = (value: unknown) => Buffer.from(JSON.stringify(value));
const read = (bytes: Buffer) => garmin.notices(rawRequest({ body: bytes })).notices;
/** Without what is carried, for comparing what is pointed at. */
const pointers = (notices: readonly Notice[]) => notices.map(({ carried: _carried, callback: _callback, ...pointer }) => pointer);
const carriedText = (notice: Notice | undefined) => Buffer.from(notice?.carried as Uint8Array).toString();

const addresses = [...ping.toString().matchAll(/"callbackURL":"([^"]+)"/g)].map(([, url]) => url as string);
const pings = [
  { ...changed('dailies', instants('2026-09-14T19:00:00.000Z', '2026-09-14T20:00:00.000Z')), callback: addresses[0] as string },
  { ...changed('dailies', instants('2026-09-14T19:01:00.000Z', '2026-09-14T20:01:00.000Z'), bob), callback: addresses[1] as string },
  { ...changed('sleeps', instants('2026-09-15T05:00:00.000Z', '2026-09-15T06:00:00.000Z')), callback: addresses[2] as string },
];
const callback = (query: string) => `https://apis.garmin.com/wellness-api/rest/dailies?${query}`;
const usual = callback('uploadStartTimeInSeconds=1789412400&uploadEndTimeInSeconds=1789416000&token=dG9rZW4%3D');
const item = (fields: Record<string, unknown> = {}) => ({ userId: 'u1', callbackURL: usual, ...fields });
const pinged = (subjectId: string) => ({ ...changed('dailies', hour, subjectId), callback: usual });
const hour = instants('2026-09-14T19:00:00.000Z', '2026-09-14T20:00:00.000Z');

provesProvider(garmin, {
  proof: {
    grade: 'path-secret',
    app: { clientId: 'made-up-client-0001' },
    headers: { 'garmin-client-id': 'made-up-client-0001' },
    foreign: [
      { headers: { 'garmin-client-id': 'made-up-client-0002' } },
      { headers: { 'garmin-client-id': '' } },
      { headers: { 'garmin-client-id': 'made-up-client-0001, made-up-client-0001' } },
      { headers: { 'garmin-client-id': 'MADE-UP-CLIENT-0001' } },
      { headers: { 'garmin-client-id': 'é'.repeat(19) } },
    ],
  },
  deliveryId: 'reopenable',
  genuine: { body: ping, notices: pings },
  unread: body({ healthSnapshot: [{ userId: 'u1' }], activityFiles: 'whatever', toCome: [7] }),
  extended: {
    body: body({ dailies: [item({ region: 'eu', deep: [{ a: 1 }] })], more: { x: 1 } }),
    notices: [pinged('u1')],
  },
  longId: {
    body: Buffer.from(
      body({ sleeps: [item()] })
        .toString()
        .replace('"u1"', '9007199254740993'),
    ),
    subjectId: '9007199254740993',
  },
  several: {
    body: body({ dailies: [item(), item({ userId: 'u2' }), item()], deregistrations: [{ userId: 'u2' }] }),
    notices: [pinged('u1'), pinged('u2'), grant('u2')],
  },
  malformed: [
    { body: Buffer.from('{"private":'), names: 'body: not JSON' },
    { body: Buffer.concat([Buffer.from('{"dailies":"'), Buffer.of(0xff), Buffer.from('"}')]), names: 'body: not UTF-8' },
    { body: body([]), names: 'body: expected an object' },
    { body: body({ dailies: 'private' }), names: 'dailies: expected a list' },
    { body: body({ sleeps: [item(), 'private'] }), names: 'sleeps[1]: expected an object' },
    { body: body({ dailies: [item({ userId: undefined })] }), names: 'dailies[0].userId:' },
    { body: body({ dailies: [item({ userId: 'private\0' })] }), names: 'dailies[0].userId:' },
    { body: body({ dailies: [item({ userId: 'private\ud800' })] }), names: 'dailies[0].userId:' },
    { body: body({ dailies: [item({ userId: 'p'.repeat(257) })] }), names: 'dailies[0].userId: longer' },
    { body: body({ deregistrations: [{}] }), names: 'deregistrations[0].userId:' },
    { body: body({ activities: [{ userId: 'private' }] }), names: 'activities[0].summaryId:' },
    {
      body: body({ dailies: [item({ callbackURL: 'https://private.test/' })] }),
      names: 'dailies[0].callbackURL: not an address of Garmin',
    },
    {
      body: body({ dailies: [item({ callbackURL: callback('uploadEndTimeInSeconds=1&token=private') })] }),
      names: 'dailies[0].uploadStartTimeInSeconds:',
    },
  ],
  reads: (collection) => isGarminCollection(collection) || collection === grantCollection,
});

describe('what proves a Garmin delivery', () => {
  const app = { clientId: 'c', secrets: [], toleranceMs: 0 };

  it('is the address where no client id comes, whatever the app holds', async () => {
    expect(await garmin.verify(rawRequest({ body: ping }), app, 0, noKeys)).toMatchObject({ ok: true, grade: 'path-secret' });
  });

  it('is never a client id that the app does not have', async () => {
    const request = rawRequest({ body: ping, headers: { 'garmin-client-id': '' } });
    expect(await garmin.verify(request, { ...app, clientId: '' }, 0, noKeys)).toEqual({ ok: false, code: 'signature_mismatch' });
  });

  it('stays as weak as it is when the operator accepts what it carries', async () => {
    const request = rawRequest({ body: dailies, headers: { 'garmin-client-id': 'c' } });
    expect(await garmin.verify(request, { ...app, acceptsCarried: true }, 0, noKeys)).toMatchObject({ ok: true, grade: 'path-secret' });
  });
});

describe('a Garmin ping', () => {
  const windowOf = (fields: Record<string, unknown>) => read(body({ dailies: [item(fields)] }))[0]?.window;

  it('C040: its address is told letter by letter, and kept nowhere in clear', () => {
    const bytes = Buffer.from(
      ping
        .toString()
        .replace(
          '"sleeps"',
          `"activityFiles":[{"userId":"${ann}","callbackURL":"${callback('id=9007199254740993127&token=a%2Bb%2F%3D')}"}],"sleeps"`,
        ),
    );
    const notices = read(bytes);
    expect(notices).toEqual(pings);
    expect(notices.map((notice) => notice.callback)).toEqual(addresses);
    const stored = garmin.redact(bytes).toString();
    for (const secret of ['bWFkZS11cA', 'YWxzby1tYWRl', 'dxw', 'a%2Bb']) {
      expect(bytes.toString()).toContain(secret);
      expect(JSON.stringify(pointers(notices)) + stored).not.toContain(secret);
    }
    expect(stored).toContain('id=9007199254740993127&token=redacted"');
  });

  it('C040: that names no times, or would not stay as it is, is taken as far as it goes', () => {
    const opaque = callback('id=9007199254740993127&token=a%2Bb%2F%3D&token2=%zz');
    expect(read(body({ activities: [item({ callbackURL: opaque })] }))).toEqual([
      { ...changed('activities', { kind: 'whole' }, 'u1'), callback: opaque },
    ]);
    const times = 'uploadStartTimeInSeconds=1789412400&uploadEndTimeInSeconds=1789416000';
    for (const token of ['a b', 'é', '#a', 'a\u0009b', 'x'.repeat(2_048)]) {
      expect(read(body({ dailies: [item({ callbackURL: callback(`${times}&token=${token}`) })] }))).toEqual([
        changed('dailies', hour, 'u1'),
      ]);
    }
    expect(read(body({ dailies: [item({ callbackURL: usual.replace('/rest/', '/rest/../rest/') })] }))[0]).not.toHaveProperty('callback');
  });

  it('with another key to the same is another notice', () => {
    const other = usual.replace('dG9rZW4', 'b3RoZXI');
    expect(read(body({ dailies: [item(), item({ callbackURL: other }), item({ callbackURL: other })] })).map((n) => n.callback)).toEqual([
      usual,
      other,
    ]);
  });

  it('is believed only if its address is Garmin’s own', () => {
    const query = 'uploadStartTimeInSeconds=1789412400&uploadEndTimeInSeconds=1789416000';
    for (const foreign of [
      `http://apis.garmin.com/wellness-api/rest/dailies?${query}`,
      `https://apis.garmin.com.evil.test/wellness-api/rest/dailies?${query}`,
      `https://evil.test/wellness-api/rest/dailies?${query}`,
      `https://apis.garmin.com@evil.test/wellness-api/rest/dailies?${query}`,
      `https://user:word@apis.garmin.com/wellness-api/rest/dailies?${query}`,
      `https://user@apis.garmin.com/wellness-api/rest/dailies?${query}`,
      `https://apis.garmin.com:8443/wellness-api/rest/dailies?${query}`,
      `https://apis.garmin.com/wellness-api/rest/../../admin?${query}`,
      `https://apis.garmin.com/wellness-api/restless?${query}`,
      `//apis.garmin.com/wellness-api/rest/dailies?${query}`,
      `file:///wellness-api/rest/dailies?${query}`,
      'http://169.254.169.254/latest/meta-data',
      '',
      7,
      {},
    ]) {
      expect(() => windowOf({ callbackURL: foreign })).toThrow(new MalformedDelivery('dailies[0].callbackURL: not an address of Garmin'));
    }
  });

  it('may tell its upload times beside the address, or without one', () => {
    const times = { uploadStartTimeInSeconds: 1_789_412_400, uploadEndTimeInSeconds: 1_789_416_000 };
    expect(windowOf({ ...times, callbackURL: callback('token=x') })).toEqual(hour);
    expect(windowOf({ ...times, callbackURL: undefined })).toEqual(hour);
    expect(windowOf({ ...times, uploadStartTimeInSeconds: 1 })).toEqual(hour);
    expect(read(body({ dailies: [item({ ...times, callbackURL: null })] }))).toEqual([changed('dailies', hour, 'u1')]);
  });

  it('with times that are none, doubled or backwards is not guessed at', () => {
    for (const query of [
      'uploadStartTimeInSeconds=1789412400',
      'uploadStartTimeInSeconds=1789416000&uploadEndTimeInSeconds=1789412400',
      'uploadStartTimeInSeconds=1&uploadStartTimeInSeconds=2&uploadEndTimeInSeconds=3',
      'uploadStartTimeInSeconds=-1&uploadEndTimeInSeconds=3',
      'uploadStartTimeInSeconds=1.5&uploadEndTimeInSeconds=3',
      'uploadStartTimeInSeconds=0x10&uploadEndTimeInSeconds=99',
    ])
      expect(() => windowOf({ callbackURL: callback(query) })).toThrow(MalformedDelivery);
    expect(windowOf({ callbackURL: callback('uploadStartTimeInSeconds=10&uploadEndTimeInSeconds=10') })).toEqual(
      instants('1970-01-01T00:00:10.000Z', '1970-01-01T00:00:11.000Z'),
    );
  });
});

describe('a Garmin push', () => {
  it('carries each summary in the bytes that came, under its day', () => {
    const notices = read(dailies);
    expect(pointers(notices)).toEqual([
      changed('dailies', day('2026-09-14', '2026-09-15')),
      // Without `calendarDate`, by the watch’s own clock.
      changed('dailies', day('2026-09-14', '2026-09-15'), bob),
    ]);
    expect(`{"dailies":[${notices.map(carriedText).join(',')}]}`).toBe(dailies.toString());
    expect(carriedText(notices[0])).toContain('"distanceInMeters":8740.0,');
    expect(carriedText(notices[1])).toContain('"averageStresslevel":-1,');
  });

  it('C134: a night that grows stays in one window, though its id changes with its length', () => {
    const nights = [...read(fixture('push-sleeps-tentative')), ...read(fixture('push-sleeps'))];
    expect(pointers(nights)).toEqual([
      changed('sleeps', day('2026-09-15', '2026-09-16')),
      changed('sleeps', day('2026-09-15', '2026-09-16')),
    ]);
    expect(nights.map((night) => (JSON.parse(carriedText(night)) as { summaryId: string }).summaryId)).toEqual([
      'x3f0c1d5-6aa66a96-2a30',
      'x3f0c1d5-6aa66a96-6c48',
    ]);
  });

  it('C114: an activity that was edited by hand is the same activity, its title as it came', () => {
    const [first] = read(fixture('push-activities'));
    const [edited] = read(fixture('push-manually-updated'));
    expect(first?.window).toEqual(summary('20417733901'));
    expect(pointers([edited as Notice])).toEqual(pointers([first as Notice]));
    expect((JSON.parse(carriedText(edited)) as { activityName: string }).activityName).toBe('Večerní běh 🏃‍♀️');
  });

  it('C116: a NUL in a title, as an escape or spelled out, is carried as it came', () => {
    for (const title of ['"a\\u0000b"', '"a\\\\u0000b"']) {
      const text = `{"activities":[{"userId":"u1","summaryId":"s1","activityName":${title}}]}`;
      expect(carriedText(read(Buffer.from(text))[0])).toBe(text.slice('{"activities":['.length, -2));
    }
  });

  it('an item that cannot be read takes no other with it, whoever’s it is; the first is complained of', () => {
    const wrong = [{ summaryId: 's' }, null, item({ userId: 'u2', callbackURL: 'https://private.test/' })];
    const read = garmin.notices(rawRequest({ body: body({ dailies: [item(), ...wrong, item({ userId: 'u3' })], sleeps: 'private' }) }));
    expect(read.notices).toEqual([pinged('u1'), pinged('u3')]);
    expect(read.complaint).toBe('dailies[1].userId: expected text');
  });

  it('says when a body holds something of somebody who has no notice in it, under keys that nobody reads', () => {
    const beside = (more: Record<string, unknown>) => garmin.notices(rawRequest({ body: body({ dailies: [item()], ...more }) })).bystanders;
    for (const none of [{}, { activityDetails: [] }, { activityDetails: null }, { activityDetails: [{ userId: 'u1' }] }])
      expect([none, beside(none)]).toEqual([none, undefined]);
    for (const some of [{ mct: [{ userId: 'u1' }, { userId: 'u2' }] }, { mct: [{}] }, { mct: ['u1', null] }, { toCome: { userId: 'u1' } }])
      expect([some, beside(some)]).toEqual([some, true]);
  });

  it('C121: keys of the wire and of the manual are read, keys that nobody knows are acknowledged', () => {
    expect(pointers(read(fixture('push-mixed-types')))).toEqual([
      changed('stressDetails', day('2026-09-14', '2026-09-15')),
      changed('pulseox', day('2026-09-14', '2026-09-15')),
      changed('pulseox', day('2026-09-14', '2026-09-15')),
      changed('allDayRespiration', day('2026-09-14', '2026-09-15')),
      changed('hrv', summary('x3f0c1d5-6aa66a96-hv')),
      changed('userMetrics', day('2026-09-14', '2026-09-15')),
    ]);
    const one = [{ userId: 'u1', summaryId: 's1' }];
    const collections = read(
      body({ allDayRespiration: one, pulseOx: one, moveiq: one, moveIQActivities: one, sweatLoss: one, BODYCOMPS: one }),
    );
    expect(collections.map(({ collection }) => collection)).toEqual(['allDayRespiration', 'pulseox', 'bodyComps']);
    for (const name of Object.keys(garminCollections)) expect(read(body({ [name]: one }))[0]?.collection).toBe(name);
  });

  it('C131: the same summary twice is one notice; those that differ all stay, in their order', () => {
    const same = { userId: 'u1', summaryId: 's1', weightInGrams: 72_500 };
    expect(read(body({ bodyComps: [same, same] }))).toHaveLength(1);
    const differing = read(body({ bodyComps: [same, { ...same, weightInGrams: 72_400 }, same] }));
    expect(differing.map((notice) => (JSON.parse(carriedText(notice)) as typeof same).weightInGrams)).toEqual([72_500, 72_400, 72_500]);
    expect(read(fixture('push-bodycomps'))).toHaveLength(2);
  });

  it('a day that is none leaves the summary its id', () => {
    for (const calendarDate of ['2026-13-01', '9999-12-31', '', 20260914, null]) {
      const [notice] = read(body({ dailies: [{ userId: 'u1', summaryId: 's1', calendarDate }] }));
      expect(notice?.window).toEqual(summary('s1'));
    }
  });

  it('parts of a day are under the day of the watch on which they began', () => {
    expect(pointers(read(fixture('push-epochs')))).toEqual([
      changed('epochs', day('2026-09-14', '2026-09-15')),
      changed('epochs', day('2026-09-14', '2026-09-15')),
    ]);
    const at = (startTimeInSeconds: unknown, startTimeOffsetInSeconds: unknown) =>
      read(body({ epochs: [{ userId: 'u1', summaryId: 's1', startTimeInSeconds, startTimeOffsetInSeconds }] }))[0]?.window;
    // 2026-09-14T21:59:59Z and a second later, in Prague.
    expect(at(1_789_423_199, 7_200)).toEqual(day('2026-09-14', '2026-09-15'));
    expect(at(1_789_423_200, 7_200)).toEqual(day('2026-09-15', '2026-09-16'));
    for (const offset of [undefined, null, '7200', 0.5, 90_000]) expect(at(1_789_423_200, offset)).toEqual(summary('s1'));
    for (const start of [undefined, '1', -1, 9e15]) expect(at(start, 0)).toEqual(summary('s1'));
  });

  it('C117: six megabytes of 200 people are inside the limit, and read at once', () => {
    const samples = Object.fromEntries(Array.from({ length: 2_300 }, (_, at) => [String(at * 15), 60 + (at % 40)]));
    const of = (n: number) => ({
      userId: `user-${n}`,
      summaryId: `s-${n}`,
      calendarDate: '2026-09-14',
      steps: n,
      timeOffsetHeartRateSamples: samples,
    });
    const list = Array.from({ length: 200 }, (_, n) => of(n));
    const bytes = body({ dailies: list, epochs: list });
    expect(bytes.length).toBeGreaterThan(6_000_000);
    expect(bytes.length).toBeLessThan(garmin.facts.maxBodyBytes);
    const started = performance.now();
    const notices = read(bytes);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(new Set(notices.map(({ subjectId }) => subjectId)).size).toBe(200);
    // Views of the one body, not copies of it.
    expect(notices.every(({ carried }) => carried?.buffer === bytes.buffer)).toBe(true);
    expect(garmin.redact(bytes)).toBe(bytes);
  });
});

describe('what Garmin says of a grant', () => {
  it('C075: deregistrations ask for a look at each person’s grant, known to us or not', () => {
    expect(read(fixture('deregistrations'))).toEqual([grant(ann), grant('00000000-dead-4000-8000-000000000000')]);
    expect(garmin.answer('accepted')).toEqual({ status: 200 });
  });

  it('C080: a change of permissions asks for a look, and its own words are not believed', () => {
    expect(read(fixture('user-permissions'))).toEqual([grant(ann)]);
    for (const key of ['userPermissionsChange', 'userPermissionChange', 'userPermissions', 'USERPERMISSIONSCHANGE']) {
      expect(read(body({ [key]: [{ userId: 'u1', permissions: [], changeTimeInSeconds: 9e15 }] }))).toEqual([grant('u1')]);
    }
  });

  it('a list that is null holds nobody', () => {
    expect(read(body({ deregistrations: null, dailies: null, userPermissionsChange: [] }))).toEqual([]);
  });
});

describe('what is kept of a Garmin body', () => {
  const redacted = (text: string) => garmin.redact(Buffer.from(text)).toString();

  it('has no token, however its address is written in JSON', () => {
    for (const [text, expected] of [
      ['"https://a/?token=abc"', '"https://a/?token=redacted"'],
      ['"https://a/?token=abc&x=1"', '"https://a/?token=redacted&x=1"'],
      [
        '"https:\\/\\/a\\/?x=1\\u0026token\\u003dab\\u003d\\u003d\\u0026y=2"',
        '"https:\\/\\/a\\/?x=1\\u0026token\\u003dredacted\\u0026y=2"',
      ],
      ['"?token=a\\/b\\"c"', '"?token=redacted"'],
      ['{"userAccessToken" : "ab\\"c","x":1}', '{"userAccessToken" : "redacted","x":1}'],
    ] as const)
      expect(redacted(text)).toBe(expected);
  });

  it('is otherwise what came, byte for byte, and still JSON', () => {
    const bytes = Buffer.from(`{"t":"běh 🏃‍♀️ token=1","mytoken=":"x","a":"?tokens=1","b":"?token=s\\u00e9cret"}`);
    expect(redacted(bytes.toString())).toBe(bytes.toString().replace('s\\u00e9cret', 'redacted'));
    for (const name of ['ping', 'push-dailies', 'push-mixed-types', 'deregistrations']) {
      const kept = garmin.redact(fixture(name)).toString();
      expect(kept).toBe(
        fixture(name)
          .toString()
          .replace(/token=[^"]*/g, 'token=redacted'),
      );
      expect(() => JSON.parse(kept) as unknown).not.toThrow();
    }
  });

  it('also in what a push carries', () => {
    const [notice] = read(body({ bodyComps: [{ userId: 'u1', userAccessToken: 'private', summaryId: 's1' }] }));
    expect(carriedText(notice)).toBe('{"userId":"u1","userAccessToken":"redacted","summaryId":"s1"}');
  });
});
