import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { grantCollection } from '@tributary/domain';
import { NOW, TOLERANCE_MS } from '../../testing/delivery-maker.js';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import type { AppForVerification, LiveSecret } from '../provider.js';
import { strava } from './provider.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const create = fixture('strava-webhook-activity-create.json');
const recorded = JSON.parse(fixture('signature.json').toString()) as {
  secret: string;
  vectors: { bodyFile: string; timestamp: number; header: string }[];
};
const event = (fields: Record<string, unknown>) =>
  Buffer.from(
    JSON.stringify({
      aspect_type: 'update',
      event_time: 1_789_404_080,
      object_id: 7,
      object_type: 'activity',
      owner_id: 3,
      subscription_id: 310_227,
      updates: { title: 'x' },
      ...fields,
    }),
  );
const noticesOf = (body: Buffer) => strava.notices(rawRequest({ body })).notices;
/** The end of the second that the event names. */
const END_OF_1789404080 = 1_789_404_080_999_999;
const grantOf = (subjectId: string, version: number) => [
  { subjectId, collection: grantCollection, kind: 'changed', window: { kind: 'whole' }, version },
];

provesProvider(strava, {
  proof: { grade: 'path-secret' },
  probes: ['GET'],
  deliveryId: 'strict',
  reads: (name) => name === grantCollection || name === 'activity',
  genuine: {
    body: create,
    notices: [
      {
        subjectId: '90417733',
        collection: 'activity',
        kind: 'changed',
        window: { kind: 'object', id: '17654321987' },
        version: END_OF_1789404080,
      },
    ],
  },
  unread: event({ object_type: 'route' }),
  extended: {
    body: event({ region: 'eu', updates: { title: 'x', gear: { deep: [1] } } }),
    notices: [{ subjectId: '3', collection: 'activity', kind: 'changed', window: { kind: 'object', id: '7' }, version: END_OF_1789404080 }],
  },
  longId: { body: Buffer.from(event({}).toString().replace('"owner_id":3', '"owner_id":9007199254740993')), subjectId: '9007199254740993' },
  malformed: [
    { body: Buffer.from('{"private":'), names: 'body: not JSON' },
    { body: Buffer.from('"private"'), names: 'body: expected an object' },
    { body: Buffer.from('[{"private":1}]'), names: 'body: expected an object' },
    { body: Buffer.concat([Buffer.from('{"object_type":"'), Buffer.of(0xff), Buffer.from('"}')]), names: 'body: not UTF-8' },
    { body: event({ object_type: undefined }), names: 'object_type:' },
    { body: event({ object_type: 7 }), names: 'object_type:' },
    { body: event({ aspect_type: 'private' }), names: 'aspect_type:' },
    { body: event({ aspect_type: null }), names: 'aspect_type:' },
    { body: event({ owner_id: undefined }), names: 'owner_id:' },
    { body: event({ owner_id: 1.5 }), names: 'owner_id:' },
    { body: event({ owner_id: 'private\0' }), names: 'owner_id:' },
    { body: event({ object_id: 'private\ud800' }), names: 'object_id:' },
    { body: event({ object_id: 'p'.repeat(257) }), names: 'object_id: longer' },
    { body: event({ object_id: { private: 1 } }), names: 'object_id:' },
    { body: event({ event_time: undefined }), names: 'event_time:' },
    { body: event({ event_time: '2026-09-14T17:21:20Z' }), names: 'event_time:' },
    { body: event({ event_time: 1.5 }), names: 'event_time:' },
    { body: event({ event_time: -1 }), names: 'event_time:' },
    { body: event({ event_time: 253_402_300_799 }), names: 'event_time:' },
    { body: event({ object_type: 'athlete', updates: { authorized: 'false' }, owner_id: null }), names: 'owner_id:' },
  ],
});

describe('Strava activities', () => {
  it('C077: are looked for when they are said to be gone, known to us or not', () => {
    expect(noticesOf(fixture('strava-webhook-activity-delete.json'))).toEqual([
      {
        subjectId: '90417733',
        collection: 'activity',
        kind: 'deleted',
        window: { kind: 'object', id: '17654321987' },
        version: 1_789_490_000_999_999,
      },
    ]);
  });

  it('C145: keep ids beyond 32 and beyond 53 bits, each its own', () => {
    const idOf = (digits: string) =>
      noticesOf(Buffer.from(event({}).toString().replace('"object_id":7', `"object_id":${digits}`)))[0]?.window;
    for (const digits of ['17654321987', String(17_654_321_987 % 2 ** 32), '9007199254740993', '18446744073709551615']) {
      expect(idOf(digits)).toEqual({ kind: 'object', id: digits });
    }
  });

  it('C116: may be called anything, a NUL and half a surrogate pair included: a title is not read', () => {
    for (const title of ['a\u0000b', '\\u0000', '\ud800', 'Ranní běh 🏃‍♀️']) {
      expect(noticesOf(event({ updates: { title, 'k\u0000': 1 } }))).toHaveLength(1);
    }
  });

  it('are newer than any read that began within the second that the event names', () => {
    const version = noticesOf(event({ event_time: 1_789_404_080 }))[0]?.version as number;
    const startedWithin = Date.parse('2026-09-14T16:41:20.999Z') * 1000;
    expect(Math.floor(startedWithin / 1_000_000)).toBe(1_789_404_080);
    expect(version).toBeGreaterThan(startedWithin);
    expect(version).toBeLessThan(1_789_404_081_000_000);
  });
});

describe('Strava athletes', () => {
  it('C081: have their grant looked at when they deauthorise, said as a text, said as a boolean, or deleted', () => {
    expect(noticesOf(fixture('strava-webhook-deauthorize.json'))).toEqual(grantOf('90417733', 1_789_500_000_999_999));
    for (const told of [
      { updates: { authorized: 'false' } },
      { updates: { authorized: false } },
      { updates: { authorized: 'FALSE', more: 1 } },
      { aspect_type: 'delete', updates: {} },
      { aspect_type: 'delete', updates: null },
    ]) {
      expect(noticesOf(event({ object_type: 'athlete', object_id: 3, ...told }))).toEqual(grantOf('3', END_OF_1789404080));
    }
  });

  it('cause nothing when something else about them changed', () => {
    for (const updates of [{}, { weight: '70' }, null, 'authorized', undefined]) {
      expect(noticesOf(event({ object_type: 'athlete', updates }))).toEqual([]);
    }
  });
});

describe('Strava proves who sent a delivery by a signature, where one comes', () => {
  const secret = (id: string, value: string, purpose: LiveSecret['purpose'] = 'client_secret') => ({ id, purpose, value });
  const app = (...secrets: LiveSecret[]): AppForVerification => ({ clientId: 'client', secrets, toleranceMs: TOLERANCE_MS });
  const current = app(secret('s1', 'current-secret'));
  const hex = (body: Buffer, at = NOW, key = 'current-secret') =>
    createHmac('sha256', key)
      .update(`${at / 1000}.`)
      .update(body)
      .digest('hex');
  const sign = (body: Buffer, at = NOW, key = 'current-secret') => `t=${at / 1000},v1=${hex(body, at, key)}`;
  const verify = (header: string | undefined, body = create, to = current, now = NOW) =>
    strava.verify(rawRequest({ body, headers: header === undefined ? {} : { 'X-Strava-Signature': header } }), to, now, noKeys);
  const verdict = async (...given: Parameters<typeof verify>) => {
    const verification = await verify(...given);
    return verification.ok ? `${verification.grade} ${verification.secretId}` : verification.code;
  };

  it('accepts deliveries recorded outside this code base, and says when they were signed', async () => {
    for (const { bodyFile, timestamp, header } of recorded.vectors) {
      expect(await verify(header, fixture(bodyFile), app(secret('s1', recorded.secret)), timestamp * 1000)).toEqual({
        ok: true,
        grade: 'signed',
        secretId: 's1',
        signedAt: timestamp * 1000,
      });
    }
  });

  it('C001: refuses a fresh timestamp with a fake digest, takes the right one, and refuses both when we have no client secret', async () => {
    const zeros = `t=${NOW / 1000},v1=${'0'.repeat(64)}`;
    expect(await verdict(zeros)).toBe('signature_mismatch');
    expect(await verdict(sign(create))).toBe('signed s1');
    for (const none of [app(), app(secret('s1', '')), app(secret('v', 'current-secret', 'verification_token'))]) {
      expect(await verdict(zeros, create, none)).toBe('no_secret');
      expect(await verdict(sign(create), create, none)).toBe('no_secret');
      expect(await verdict(`t=${NOW / 1000},v1=${hex(create, NOW, '')}`, create, none)).toBe('no_secret');
    }
  });

  it('C006: refuses headers of the wrong length, alphabet or number without a throw', async () => {
    const right = hex(create);
    const t = `t=${NOW / 1000}`;
    for (const [header, code] of [
      ['', 'signature_missing'],
      [' ', 'signature_missing'],
      ['é'.repeat(80), 'signature_missing'],
      [t, 'signature_missing'],
      [`${t},v1=`, 'signature_missing'],
      [`${t},v1`, 'signature_missing'],
      [`${t},V1=${right}`, 'signature_missing'],
      [`${t},v2=${right}`, 'signature_missing'],
      [`v1=${right}`, 'timestamp_missing'],
      [`t=,v1=${right}`, 'timestamp_missing'],
      [`t=-1,v1=${right}`, 'timestamp_malformed'],
      [`t=1e9,v1=${right}`, 'timestamp_malformed'],
      [`t=１７８９,v1=${right}`, 'timestamp_malformed'],
      [`t=${'9'.repeat(40)},v1=${right}`, 'timestamp_malformed'],
      [`${t},v1=${right}, ${t},v1=${right}`, 'timestamp_malformed'],
      [`${t},v1=${right.slice(0, -1)}`, 'signature_mismatch'],
      [`${t},v1=${right.slice(0, -1)}é`, 'signature_mismatch'],
      [`${t},v1=${right}${right}`, 'signature_mismatch'],
      [`${t},v1=${'a'.repeat(10_240)}`, 'signature_mismatch'],
      [`${t},v1=${right}=`, 'signature_mismatch'],
      [` ${t}, v1=${right}`, 'signed s1'],
    ] as const) {
      expect([header.slice(0, 100), await verdict(header)]).toEqual([header.slice(0, 100), code]);
    }
  });

  it('C003: reads the digest in either letter case', async () => {
    expect(await verdict(`t=${NOW / 1000},v1=${hex(create).toUpperCase()}`)).toBe('signed s1');
  });

  it('refuses a digest of another time, another secret, or other bytes', async () => {
    expect(await verdict(`t=${NOW / 1000 + 1},v1=${hex(create)}`)).toBe('signature_mismatch');
    expect(await verdict(sign(create, NOW, 'guessed'))).toBe('signature_mismatch');
    expect(await verdict(sign(create), Buffer.from(` ${create.toString()}`))).toBe('signature_mismatch');
  });

  it('C111: refuses stale and future deliveries, and takes the boundary itself, both ways', async () => {
    const at = (offsetS: number) => verdict(sign(create), create, current, NOW + offsetS * 1000);
    expect(await at(299)).toBe('signed s1');
    expect(await at(300)).toBe('signed s1');
    expect(await at(301)).toBe('timestamp_stale');
    expect(await at(-299)).toBe('signed s1');
    expect(await at(-300)).toBe('signed s1');
    expect(await at(-301)).toBe('timestamp_future');
  });

  it('C114: signs the bytes, so an emoji in a title changes nothing', async () => {
    const update = fixture('strava-webhook-activity-update.json');
    expect(update.toString()).toContain('Večerní běh 🏃‍♀️');
    expect(await verdict(sign(update), update)).toBe('signed s1');
    expect(strava.redact(update).equals(update)).toBe(true);
  });

  it('takes any live secret and any of several digests during a rotation', async () => {
    const both = app(secret('new', 'next-secret'), secret('old', 'current-secret'));
    expect(await verdict(sign(create), create, both)).toBe('signed old');
    const two = `t=${NOW / 1000},v1=${hex(create, NOW, 'gone')},v1=${hex(create, NOW, 'next-secret')},v9=later`;
    expect(await verdict(two, create, both)).toBe('signed new');
    expect(await verdict(sign(create), create, app(secret('new', 'next-secret')))).toBe('signature_mismatch');
  });

  it('compares a bounded number of digests', async () => {
    const many = `t=${NOW / 1000},${`v1=${'0'.repeat(64)},`.repeat(20)}v1=${hex(create)}`;
    expect(await verdict(many)).toBe('signature_mismatch');
  });

  it('C143: never calls an unsigned delivery better than its address, whatever secrets there are', async () => {
    expect(await verdict(undefined)).toBe('path-secret app_key');
    expect(await verdict(undefined, create, app())).toBe('path-secret app_key');
    expect(noticesOf(create).map(({ subjectId, carried }) => [subjectId, carried])).toEqual([['90417733', undefined]]);
  });
});

describe('Strava proves our address', () => {
  const app = (...values: string[]): AppForVerification => ({
    clientId: 'client',
    secrets: values.map((value, at) => ({ id: `v${at}`, purpose: 'verification_token', value })),
    toleranceMs: TOLERANCE_MS,
  });
  const ask = (query: string, to = app('MADEUPTOKEN')) => strava.handshake(rawRequest({ method: 'GET', url: `/in/strava/a?${query}` }), to);
  const challenge = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';
  const right = `hub.mode=subscribe&hub.challenge=${challenge}&hub.verify_token=MADEUPTOKEN`;

  it('gets its challenge back as JSON', () => {
    expect(ask(right)).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
      body: `{"hub.challenge":"${challenge}"}`,
    });
    expect(ask(right, app('OTHER', 'MADEUPTOKEN')).status).toBe(200);
  });

  it('gets no challenge for a wrong, missing, empty or repeated token, or when we have none', () => {
    const answers = [
      ask(right.replace('MADEUPTOKEN', 'madeuptoken')),
      ask(right.replace('&hub.verify_token=MADEUPTOKEN', '')),
      ask(right.replace('MADEUPTOKEN', ''), app('')),
      ask(`${right}&hub.verify_token=MADEUPTOKEN`),
      ask(right, app()),
      ask(right, { ...app(), secrets: [{ id: 's', purpose: 'client_secret', value: 'MADEUPTOKEN' }] }),
      ask(''),
    ];
    expect(answers).toEqual(answers.map(() => ({ status: 403 })));
  });

  it('gets no challenge for a question of another kind', () => {
    const answers = [
      ask(right.replace('subscribe', 'unsubscribe')),
      ask(right.replace('hub.mode=subscribe&', '')),
      ask(`${right}&hub.mode=subscribe`),
      ask(right.replace(challenge, '')),
      ask(right.replace(challenge, 'a'.repeat(513))),
      ask(`${right}&hub.challenge=b`),
    ];
    expect(answers).toEqual(answers.map(() => ({ status: 400 })));
  });

  it('gets markup back as text in JSON', () => {
    const answer = ask(right.replace(challenge, encodeURIComponent('"</script><script>')));
    expect(answer.body).toBe(JSON.stringify({ 'hub.challenge': '"</script><script>' }));
    expect(answer.headers?.['content-type']).toBe('application/json');
  });
});
