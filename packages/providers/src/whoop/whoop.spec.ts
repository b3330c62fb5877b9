import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Notice } from '@tributary/domain';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import { MalformedDelivery } from '../provider.js';
import { announcedCollections } from './collections.js';
import { whoop } from './provider.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const vector = JSON.parse(fixture('signature.json').toString()) as { body: string; secret: string; headers: Record<string, string> };
const event = (fields: Record<string, unknown>) =>
  Buffer.from(JSON.stringify({ user_id: 4417301, id: 'w-1', type: 'workout.updated', trace_id: 't-1', ...fields }));
const sleepId = '6c1f7b52-0b7e-4f8b-9b0f-1a2b3c4d5e6f';
const notice = (fields: Partial<Notice>): Notice => ({
  subjectId: '4417301',
  collection: 'sleep',
  kind: 'changed',
  window: { kind: 'object', id: sleepId },
  version: undefined,
  ...fields,
});
const notices = (body: Buffer) => whoop.notices(rawRequest({ body })).notices;
const sign = (body: Buffer, secret: string, stamp: string) => ({
  'X-WHOOP-Signature-Timestamp': stamp,
  'X-WHOOP-Signature': createHmac('sha256', secret).update(stamp).update(body).digest('base64'),
});

provesProvider(whoop, {
  proof: {
    grade: 'signed',
    purpose: 'client_secret',
    signatureHeader: 'X-WHOOP-Signature',
    timestampHeader: 'X-WHOOP-Signature-Timestamp',
    ignoresCase: false,
    sign: (body, secret, signedAt) => sign(body, secret, String(signedAt)),
    vector: { secret: vector.secret, headers: vector.headers, body: fixture(vector.body), signedAt: 1_789_452_300_123 },
  },
  deliveryId: 'strict',
  reads: (collection) => announcedCollections.some((name) => name === collection),
  genuine: { body: fixture('whoop-webhook-sleep-updated.json'), notices: [notice({})] },
  unread: event({ type: 'cycle.updated', id: 7 }),
  extended: {
    body: event({ type: 'recovery.updated', id: sleepId, score_state: 'PENDING_SCORE', extra: [1] }),
    notices: [notice({ collection: 'recovery', window: { kind: 'object', id: `recovery/${sleepId}` } })],
  },
  longId: { body: Buffer.from(event({}).toString().replace('4417301', '9223372036854775807')), subjectId: '9223372036854775807' },
  malformed: [
    { body: Buffer.from('{"private":'), names: 'body: not JSON' },
    { body: Buffer.from('[]'), names: 'body: expected an object' },
    { body: event({ type: undefined }), names: 'type:' },
    { body: event({ type: ['private'] }), names: 'type:' },
    { body: event({ user_id: null }), names: 'user_id:' },
    { body: event({ user_id: 1.5 }), names: 'user_id:' },
    { body: event({ user_id: 'private\0' }), names: 'user_id: holds' },
    { body: event({ id: undefined }), names: 'id:' },
    { body: event({ id: '' }), names: 'id:' },
    { body: event({ id: 'private\ud800' }), names: 'id: holds' },
    { body: event({ id: 'p'.repeat(257) }), names: 'id: longer' },
    { body: event({ trace_id: { private: 1 } }), names: 'trace_id:' },
    { body: event({ trace_id: 'p'.repeat(257) }), names: 'trace_id: longer' },
  ],
});

describe('WHOOP deliveries', () => {
  it('say when a record is gone, and a sleep takes its recovery with it', () => {
    expect(notices(fixture('whoop-webhook-sleep-deleted.json'))).toEqual([
      notice({ kind: 'deleted' }),
      notice({ kind: 'deleted', collection: 'recovery', window: { kind: 'object', id: `recovery/${sleepId}` } }),
    ]);
    expect(notices(fixture('whoop-webhook-workout-deleted.json'))).toEqual([
      notice({ kind: 'deleted', collection: 'workout', window: { kind: 'object', id: 'b2d9a0e4-77c1-4b57-8f21-9e8d7c6b5a40' } }),
    ]);
    expect(notices(event({ type: 'recovery.deleted', id: sleepId }))).toEqual([
      notice({ kind: 'deleted', collection: 'recovery', window: { kind: 'object', id: `recovery/${sleepId}` } }),
    ]);
  });

  it('give no notice for types that only begin or end like one that is read', () => {
    for (const type of ['sleep', 'sleep.', '.updated', 'sleep.created', 'sleep.updated.v3', 'Sleep.updated', 'constructor.updated']) {
      expect([type, notices(event({ type }))]).toEqual([type, []]);
    }
  });

  it('are told apart by what they point at, even when they share a trace', () => {
    const bodies = ['sleep-updated', 'sleep-deleted', 'workout-updated', 'workout-deleted'].map((name) =>
      fixture(`whoop-webhook-${name}.json`),
    );
    const recovery = Buffer.from((bodies[0] as Buffer).toString().replace('sleep.updated', 'recovery.updated'));
    const ids = [...bodies, recovery].map((body) => whoop.notices(rawRequest({ body })).deliveryId.value);
    expect(new Set(ids).size).toBe(5);
  });

  it('are one delivery for one trace, however the bytes are written and whenever they were signed', () => {
    const body = event({});
    const later = rawRequest({ body: Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 2)), headers: sign(body, 'k', '2') });
    expect(whoop.notices(later).deliveryId).toEqual(whoop.notices(rawRequest({ body, headers: sign(body, 'k', '1') })).deliveryId);
  });

  it('without a trace may come again as news', () => {
    for (const traceId of [undefined, null]) {
      expect(whoop.notices(rawRequest({ body: event({ trace_id: traceId }) })).deliveryId.kind).toBe('reopenable');
    }
  });

  it('C126: of the v1 model, whose records have numbers, are malformed and say what to change', () => {
    expect(() => notices(event({ type: 'sleep.updated', id: 93845 }))).toThrow(
      new MalformedDelivery('id: expected a UUID; is the v1 model chosen in the settings of the app?'),
    );
  });

  it('are stamped in milliseconds; a stamp in seconds is decades old', async () => {
    const body = event({});
    const app = { clientId: 'c', secrets: [{ id: 's', purpose: 'client_secret', value: 'k' }], toleranceMs: 300_000 } as const;
    const request = rawRequest({ body, headers: sign(body, 'k', '1789452300') });
    expect(await whoop.verify(request, app, 1_789_452_300_000, noKeys)).toEqual({ ok: false, code: 'timestamp_stale' });
  });

  it('with a point between time and body, as other providers sign, are forged', async () => {
    const body = event({});
    const app = { clientId: 'c', secrets: [{ id: 's', purpose: 'client_secret', value: 'k' }], toleranceMs: 300_000 } as const;
    const signature = createHmac('sha256', 'k').update('1789452300123.').update(body).digest('base64');
    const headers = { 'X-WHOOP-Signature-Timestamp': '1789452300123', 'X-WHOOP-Signature': signature };
    expect(await whoop.verify(rawRequest({ body, headers }), app, 1_789_452_300_123, noKeys)).toEqual({
      ok: false,
      code: 'signature_mismatch',
    });
  });

  it('take no probes: a GET is not ours', () => {
    expect(whoop.handshake(rawRequest({ method: 'GET' }), { clientId: 'c', secrets: [], toleranceMs: 0 }).status).toBe(405);
  });
});
