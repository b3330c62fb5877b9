import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Notice } from '@tributary/domain';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import type { AppForVerification } from '../provider.js';
import { polarCollections } from './collections.js';
import { polar } from './provider.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const vector = JSON.parse(fixture('signature.json').toString()) as { body: string; secret: string; headers: Record<string, string> };
const sign = (body: Buffer, secret: string) => ({ 'Polar-Webhook-Signature': createHmac('sha256', secret).update(body).digest('hex') });
const event = (fields: Record<string, unknown>) =>
  Buffer.from(JSON.stringify({ event: 'SLEEP', user_id: 47510042, date: '2026-09-15', timestamp: '2026-09-15T05:02:24Z', ...fields }));
const notice = (fields: Partial<Notice>): Notice => ({
  subjectId: '47510042',
  collection: 'activities',
  kind: 'changed',
  window: { kind: 'days', from: '2026-09-14', to: '2026-09-15' },
  version: undefined,
  ...fields,
});
const notices = (body: Buffer) => polar.notices(rawRequest({ body })).notices;
const night = { kind: 'days', from: '2026-09-15', to: '2026-09-16' } as const;

provesProvider(polar, {
  proof: {
    grade: 'signed',
    purpose: 'webhook_secret',
    signatureHeader: 'Polar-Webhook-Signature',
    ignoresCase: true,
    sign,
    vector: { secret: vector.secret, headers: vector.headers, body: fixture(vector.body) },
  },
  deliveryId: 'reopenable',
  reads: (collection) => collection in polarCollections,
  genuine: { body: fixture('polar-webhook-activity-summary.json'), notices: [notice({})] },
  unread: event({ event: 'SLEEP_WISE_ALERTNESS', date: undefined, from: '2026-09-14', to: '2026-09-15' }),
  extended: {
    body: event({ device: { id: 'D1' } }),
    notices: ['sleep', 'nightly-recharge', 'skin-temperature'].map((collection) => notice({ collection, window: night })),
  },
  longId: { body: Buffer.from(event({}).toString().replace('47510042', '9007199254740993')), subjectId: '9007199254740993' },
  malformed: [
    { body: Buffer.from('{"private":'), names: 'body: not JSON' },
    { body: Buffer.from('[]'), names: 'body: expected an object' },
    { body: event({ event: undefined }), names: 'event:' },
    { body: event({ event: 7 }), names: 'event:' },
    { body: event({ user_id: undefined }), names: 'user_id:' },
    { body: event({ user_id: 'private\0' }), names: 'user_id: holds' },
    { body: event({ user_id: 'private\ud800' }), names: 'user_id: holds' },
    { body: event({ date: undefined }), names: 'date:' },
    { body: event({ date: '2026-09-31' }), names: 'date:' },
    { body: event({ date: '2026-09-15T00:00:00Z' }), names: 'date:' },
    { body: event({ date: 20260915 }), names: 'date:' },
    { body: event({ event: 'EXERCISE' }), names: 'entity_id:' },
    { body: event({ event: 'EXERCISE', entity_id: 'p'.repeat(257) }), names: 'entity_id: longer' },
  ],
});

describe('Polar deliveries', () => {
  it('point at an exercise by its id, at days by the calendar, and at what has no span as a whole', () => {
    expect(notices(fixture('polar-webhook-exercise.json'))).toEqual([
      notice({ collection: 'exercises', window: { kind: 'object', id: 'aQ9xK1' } }),
    ]);
    expect(notices(fixture('polar-webhook-continuous-heart-rate.json'))).toEqual([notice({ collection: 'continuous-heart-rate' })]);
    expect(notices(fixture('polar-webhook-physical-information.json'))).toEqual([
      notice({ collection: 'physical-info', window: { kind: 'whole' } }),
    ]);
  });

  it('of a night also make doubtful what is worked out of it, which has no event', () => {
    expect(notices(fixture('polar-webhook-sleep.json')).map(({ collection }) => collection)).toEqual([
      'sleep',
      'nightly-recharge',
      'skin-temperature',
    ]);
  });

  it('have a last day of the year like any other', () => {
    expect(notices(event({ date: '2026-12-31' }))[0]?.window).toEqual({ kind: 'days', from: '2026-12-31', to: '2027-01-01' });
  });

  it('never send us to an address of their own', () => {
    const url = 'http://169.254.169.254/latest/meta-data';
    expect(notices(event({ url }))).toEqual(notices(event({})));
    expect(JSON.stringify(notices(event({ url })))).not.toContain('169.254');
  });
});

describe('C011: the PING of Polar', () => {
  const ping = fixture('polar-webhook-ping.json');
  const none: AppForVerification = { clientId: 'c', secrets: [], toleranceMs: 0 };
  const keyed: AppForVerification = { ...none, secrets: [{ id: 's', purpose: 'webhook_secret', value: 'k' }] };

  it('is answered 200 before a key exists, and proves nothing', () => {
    const request = rawRequest({ body: ping });
    expect(polar.classify(request)).toBe('handshake');
    expect(polar.handshake(request, none)).toEqual({ status: 200, unproved: true });
  });

  it('is answered alike when its key is not known here yet, or is another', () => {
    const request = rawRequest({ body: ping, headers: { ...sign(ping, 'unknown'), 'Polar-Webhook-Event': 'PING' } });
    expect(polar.classify(request)).toBe('handshake');
    for (const app of [none, keyed]) expect(polar.handshake(request, app)).toEqual({ status: 200, unproved: true });
  });

  it('with a right signature proves our address', () => {
    expect(polar.handshake(rawRequest({ body: ping, headers: sign(ping, 'k') }), keyed)).toEqual({ status: 200 });
    expect(polar.notices(rawRequest({ body: ping }))).toMatchObject({ notices: [], handshake: true });
  });

  it('may be known by its header alone', () => {
    for (const body of [Buffer.alloc(0), Buffer.from('{}'), Buffer.from('ping')]) {
      expect(polar.classify(rawRequest({ body, headers: { 'Polar-Webhook-Event': 'PING' } }))).toBe('handshake');
    }
  });

  it('is never what another event claims to be: that one is a delivery, and refused without its signature', async () => {
    const exercise = fixture('polar-webhook-exercise.json');
    const requests = [
      rawRequest({ body: exercise, headers: { 'Polar-Webhook-Event': 'PING' } }),
      rawRequest({ body: Buffer.from(`{"event":"PING","pad":"${'x'.repeat(600)}"}`), headers: { 'Polar-Webhook-Event': 'PING' } }),
      rawRequest({ body: Buffer.from('[{"event":"PING"}]') }),
      rawRequest({ body: Buffer.from('{"event":["PING"]}') }),
      rawRequest({ body: Buffer.alloc(0) }),
    ];
    for (const request of requests) {
      expect(polar.classify(request)).toBe('delivery');
      expect(await polar.verify(request, keyed, 0, noKeys)).toEqual({ ok: false, code: 'signature_missing' });
      expect(await polar.verify(request, none, 0, noKeys)).toEqual({ ok: false, code: 'no_secret' });
    }
    expect(polar.classify(rawRequest({ method: 'GET', headers: { 'Polar-Webhook-Event': 'PING' } }))).toBe('unsupported');
  });
});
