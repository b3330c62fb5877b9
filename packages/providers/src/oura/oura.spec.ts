import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { AppForVerification } from '../provider.js';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import { isOuraCollection } from './collections.js';
import { oura } from './provider.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const vector = JSON.parse(fixture('signature.json').toString()) as { secret: string; timestamp: number; headers: Record<string, string> };
const event = (fields: Record<string, unknown>) =>
  Buffer.from(
    JSON.stringify({
      event_type: 'update',
      data_type: 'daily_activity',
      object_id: 'a1',
      event_time: '2026-11-29T07:12:44.000001+00:00',
      user_id: 'u1',
      ...fields,
    }),
  );
const create = fixture('oura-webhook-create.json');

provesProvider(oura, {
  proof: {
    grade: 'signed',
    purpose: 'client_secret',
    signatureHeader: 'x-oura-signature',
    timestampHeader: 'x-oura-timestamp',
    ignoresCase: true,
    sign(body, secret, signedAt) {
      const timestamp = String(signedAt);
      return {
        'x-oura-timestamp': timestamp,
        'x-oura-signature': createHmac('sha256', secret).update(timestamp).update(body).digest('hex').toUpperCase(),
      };
    },
    vector: { secret: vector.secret, headers: vector.headers, body: create, signedAt: vector.timestamp * 1000 },
  },
  probes: ['GET'],
  deliveryId: 'strict',
  reads: isOuraCollection,
  genuine: {
    body: create,
    notices: [
      {
        subjectId: '0f9d3c7a51e24b0d9a77f1ce0042aa10',
        collection: 'sleep',
        kind: 'changed',
        window: { kind: 'object', id: 'b7a1f0c2-5a3e-4c55-9f0e-2f1f0f6d8e11' },
        version: 1_789_452_300_431_000,
      },
    ],
  },
  unread: event({ data_type: 'session' }),
  extended: {
    body: event({ region: 'eu', extra: { deep: [1, 2] } }),
    notices: [
      {
        subjectId: 'u1',
        collection: 'daily_activity',
        kind: 'changed',
        window: { kind: 'object', id: 'a1' },
        version: 1_795_936_364_000_001,
      },
    ],
  },
  longId: { body: Buffer.from(event({}).toString().replace('"u1"', '9007199254740993')), subjectId: '9007199254740993' },
  malformed: [
    { body: Buffer.from('{"private":'), names: 'body: not JSON' },
    { body: Buffer.from(`${'['.repeat(20_000)}1234567890123456`), names: 'body: not JSON' },
    { body: Buffer.from('"private"'), names: 'body: expected an object' },
    { body: Buffer.from('[]'), names: 'body: expected an object' },
    { body: Buffer.from('null'), names: 'body: expected an object' },
    { body: Buffer.concat([Buffer.from('{"data_type":"'), Buffer.of(0xff), Buffer.from('"}')]), names: 'body: not UTF-8' },
    { body: event({ data_type: 7 }), names: 'data_type:' },
    { body: event({ event_type: 'private' }), names: 'event_type:' },
    { body: event({ event_type: undefined }), names: 'event_type:' },
    { body: event({ user_id: null }), names: 'user_id:' },
    { body: event({ user_id: '' }), names: 'user_id:' },
    { body: event({ user_id: { private: 1 } }), names: 'user_id:' },
    { body: event({ user_id: 'private\0' }), names: 'user_id:' },
    { body: event({ object_id: 'private\ud800' }), names: 'object_id:' },
    { body: event({ object_id: 'p'.repeat(257) }), names: 'object_id: longer' },
    { body: event({ object_id: 1.5 }), names: 'object_id:' },
    { body: event({ event_time: 'private' }), names: 'event_time:' },
    { body: event({ event_time: '2026-11-29T07:12:44' }), names: 'event_time:' },
    { body: event({ event_time: 1_789_452_300 }), names: 'event_time:' },
    { body: event({ event_time: '9999-01-01T00:00:00Z' }), names: 'event_time:' },
  ],
});

describe('Oura deliveries', () => {
  it('say when a record is gone', () => {
    const [notice] = oura.notices(rawRequest({ body: event({ event_type: 'delete', data_type: 'sleep' }) })).notices;
    expect(notice).toMatchObject({ kind: 'deleted', collection: 'sleep' });
  });

  it('point at every collection that is announced, and at no other', () => {
    const collectionOf = (data_type: string) => oura.notices(rawRequest({ body: event({ data_type }) })).notices[0]?.collection;
    const read = ['daily_activity', 'sleep', 'daily_sleep', 'daily_readiness', 'daily_spo2', 'vo2_max', 'workout'];
    expect(read.map(collectionOf)).toEqual(read);
    expect(['heartrate', 'personal_info', 'tag', 'daily_stress', 'toString'].map(collectionOf)).toEqual(Array(5).fill(undefined));
  });

  it('are ordered by the microsecond', () => {
    const version = (time: string) => oura.notices(rawRequest({ body: event({ event_time: time }) })).notices[0]?.version;
    expect(version('2026-11-29T07:12:44.000002+00:00')).toBe((version('2026-11-29T07:12:44.000001+00:00') as number) + 1);
  });

  it('may be stamped in seconds or in milliseconds', async () => {
    const app: AppForVerification = { clientId: 'c', secrets: [{ id: 's', purpose: 'client_secret', value: 'k' }], toleranceMs: 0 };
    for (const [stamp, now] of [
      ['1789452300', 1_789_452_300_000],
      ['1789452300123', 1_789_452_300_123],
    ] as const) {
      const signature = createHmac('sha256', 'k').update(stamp).update(create).digest('hex');
      const request = rawRequest({ body: create, headers: { 'x-oura-timestamp': stamp, 'x-oura-signature': signature } });
      expect(await oura.verify(request, app, now, noKeys)).toMatchObject({ ok: true, signedAt: now });
    }
  });
});

describe('Oura handshake', () => {
  const app: AppForVerification = {
    clientId: 'c',
    toleranceMs: 0,
    secrets: [
      { id: 'v1', purpose: 'verification_token', value: 'old-token' },
      { id: 'v2', purpose: 'verification_token', value: 'new-token' },
      { id: 's', purpose: 'client_secret', value: 'client-secret' },
    ],
  };
  const ask = (query: string, to = app) => oura.handshake(rawRequest({ method: 'GET', url: `/in/oura/k?${query}` }), to);

  it('echoes the challenge as JSON for any live token', () => {
    for (const token of ['old-token', 'new-token']) {
      const answer = ask(`verification_token=${token}&challenge=k2v9q7`);
      expect(answer).toEqual({
        status: 200,
        headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
        body: '{"challenge":"k2v9q7"}',
      });
    }
  });

  it('encodes whatever stands in the challenge', () => {
    const challenge = '"</script>\n{"a":1}';
    const answer = ask(`verification_token=new-token&challenge=${encodeURIComponent(challenge)}`);
    expect(JSON.parse(answer.body as string)).toEqual({ challenge });
  });

  it('refuses a wrong, missing, doubled or foreign token, and an app without one', () => {
    for (const query of [
      'verification_token=guess&challenge=c',
      'challenge=c',
      'verification_token=&challenge=c',
      'verification_token=client-secret&challenge=c',
      'verification_token=new-token&verification_token=new-token&challenge=c',
    ])
      expect([query, ask(query)]).toEqual([query, { status: 401 }]);
    expect(ask('verification_token=&challenge=c', { ...app, secrets: [] })).toEqual({ status: 401 });
    expect(ask('verification_token=&challenge=c', { ...app, secrets: [{ id: 'v', purpose: 'verification_token', value: '' }] })).toEqual({
      status: 401,
    });
  });

  it('refuses a missing, doubled or endless challenge', () => {
    const token = 'verification_token=new-token';
    for (const query of [token, `${token}&challenge=`, `${token}&challenge=a&challenge=b`, `${token}&challenge=${'x'.repeat(513)}`]) {
      expect(ask(query)).toEqual({ status: 400 });
    }
  });
});
