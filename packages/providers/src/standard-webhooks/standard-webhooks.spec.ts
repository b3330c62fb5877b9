import { createHmac, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Notice, grantCollection } from '@tributary/domain';
import { Webhook } from 'standardwebhooks';
import { provesProvider } from '../../testing/provider-suite.js';
import { noKeys, rawRequest } from '../../testing/raw-request.js';
import { type AppForVerification, MalformedDelivery } from '../provider.js';
import { isStandardWebhooksCollection } from './collections.js';
import { standardWebhooks } from './provider.js';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const vector = JSON.parse(fixture('signature.json').toString()) as { body: string; secret: string; headers: Record<string, string> };
const secretOf = (word: string) => `whsec_${Buffer.from(word.padEnd(24, '-')).toString('base64')}`;
const event = (fields: Record<string, unknown>) =>
  Buffer.from(JSON.stringify({ type: 'sleep.updated', timestamp: '2026-09-15T05:02:24Z', data: { subject: 'p', id: 'x' }, ...fields }));
const item = (data: Record<string, unknown>) => event({ data: { subject: 'p', ...data } });
const notice = (fields: Partial<Notice>): Notice => ({
  subjectId: 'p',
  collection: 'sleep',
  kind: 'changed',
  window: { kind: 'object', id: 'x' },
  version: 1_789_448_544_000_000,
  ...fields,
});
/** By the reference library. */
function sign(
  body: Buffer,
  secret: string,
  signedAt: number,
  id = `msg_${hash('sha256', body, 'hex').slice(0, 24)}`,
): Record<string, string> {
  const signature = secret === '' ? 'v1,AAAA' : new Webhook(secret).sign(id, new Date(signedAt), body.toString());
  return { 'webhook-id': id, 'webhook-timestamp': String(signedAt / 1000), 'webhook-signature': signature };
}
const read = (body: Buffer) =>
  standardWebhooks.notices(rawRequest({ body, headers: { 'webhook-id': 'msg_1', 'webhook-signature': 'v1,x' } }));
const night = { kind: 'days', from: '2026-09-15', to: '2026-09-16' } as const;

provesProvider(standardWebhooks, {
  proof: {
    grade: 'signed',
    purpose: 'webhook_secret',
    secretOf,
    signatureHeader: 'webhook-signature',
    timestampHeader: 'webhook-timestamp',
    ignoresCase: false,
    otherNames: [{ 'webhook-id': 'svix-id', 'webhook-timestamp': 'svix-timestamp', 'webhook-signature': 'svix-signature' }],
    sign,
    vector: { secret: vector.secret, headers: vector.headers, body: fixture(vector.body), signedAt: 1_789_404_200_000 },
  },
  deliveryId: 'strict',
  reads: isStandardWebhooksCollection,
  genuine: {
    body: fixture('observation-updated.json'),
    notices: [
      notice({ subjectId: 'pat-7', collection: 'observation', window: { kind: 'object', id: 'obs-1' }, version: 1_789_417_344_123_456 }),
    ],
  },
  unread: event({ type: 'sleep.exported', data: null }),
  extended: { body: event({ region: 'eu', data: { subject: 'p', id: 'x', extra: {} } }), notices: [notice({})] },
  longId: { body: Buffer.from(item({ id: 'x' }).toString().replace('"p"', '9007199254740993')), subjectId: '9007199254740993' },
  several: {
    body: fixture('sleep-created-several.json'),
    notices: [notice({ subjectId: 'pat-7', window: night }), notice({ subjectId: 'pat-8', window: night })],
  },
  malformed: [
    { body: Buffer.from('{"private":'), names: 'body: not JSON' },
    { body: Buffer.from('[]'), names: 'body: expected an object' },
    { body: event({ type: 7 }), names: 'type:' },
    { body: event({ timestamp: 1_789_448_544 }), names: 'timestamp:' },
    { body: event({ timestamp: 'private' }), names: 'timestamp:' },
    { body: event({ data: undefined }), names: 'data: expected an object' },
    { body: event({ data: [{ subject: 'p' }, 'private'] }), names: 'data[1]: expected an object' },
    { body: event({ data: { id: 'private' } }), names: 'data: expected one of' },
    { body: event({ data: [{ userId: 'private', user_id: 'other' }] }), names: 'data[0]: names two people' },
    { body: item({ subject: 'private\0' }), names: 'data.subject: holds' },
    { body: item({ subject: 'private\ud800' }), names: 'data.subject: holds' },
    { body: item({ subject: {} }), names: 'data.subject:' },
    { body: item({ id: 'p'.repeat(257) }), names: 'data.id: longer' },
    { body: item({ date: '2026-02-30' }), names: 'data.date:' },
    { body: item({ start: '2026-09-14' }), names: 'data.end:' },
    { body: item({ end: '2026-09-14' }), names: 'data.start:' },
    { body: item({ start: '2026-09-14', end: '2026-09-13' }), names: 'data.end: before' },
    { body: item({ start: '2026-09-14', end: '2026-09-15T00:00:00Z' }), names: 'data.end:' },
    { body: item({ start: '2026-09-14T10:00:00Z', end: '2026-09-14T09:59:59Z' }), names: 'data.end: before' },
    { body: item({ start: '2026-09-14T10:00:00', end: '2026-09-14T11:00:00' }), names: 'data.start:' },
    { body: item({ updatedAt: 'private' }), names: 'data.updatedAt:' },
  ],
});

describe('Standard Webhooks proofs', () => {
  const body = event({});
  const now = 1_796_000_000_000;
  const app = (...values: string[]): AppForVerification => ({
    clientId: 'c',
    toleranceMs: 300_000,
    secrets: values.map((value, at) => ({ id: `s${at}`, purpose: 'webhook_secret', value })),
  });
  const verdict = async (headers: Record<string, string>, to = app(secretOf('k'))) => {
    const verification = await standardWebhooks.verify(rawRequest({ body, headers }), to, now, noKeys);
    return verification.ok ? `ok ${verification.secretId}` : verification.code;
  };
  const right = sign(body, secretOf('k'), now);
  const signature = right['webhook-signature'] as string;

  it('may bring several signatures, of which one has to be right', async () => {
    const other = sign(body, secretOf('other'), now)['webhook-signature'] as string;
    for (const list of [`${other} ${signature}`, `${signature} ${other}`, `v1a,AAAA ${signature}`, `v2,x ${signature}`]) {
      expect([list, await verdict({ ...right, 'webhook-signature': list })]).toEqual([list, 'ok s0']);
    }
    for (const list of [
      `${other} ${other}`,
      signature.replace('v1,', 'v1a,'),
      signature.replace('v1,', 'v2,'),
      signature.slice(3),
      'v1,',
      'v1',
    ]) {
      expect([list, await verdict({ ...right, 'webhook-signature': list })]).toEqual([list, 'signature_mismatch']);
    }
  });

  it('cover the message id, and cannot do without it', async () => {
    expect(await verdict({ ...right, 'webhook-id': 'msg_other' })).toBe('signature_mismatch');
    expect(await verdict({ ...right, 'webhook-id': '' })).toBe('signature_missing');
    for (const id of ['with space', 'é', 'x'.repeat(257), `${right['webhook-id']}, ${right['webhook-id']}`]) {
      expect([id, await verdict(sign(body, secretOf('k'), now, id))]).toEqual([id, 'signature_mismatch']);
    }
  });

  it('are read from one set of headers, never from two', async () => {
    const { 'webhook-signature': _taken, ...rest } = right;
    expect(await verdict({ ...rest, 'svix-signature': signature })).toBe('signature_missing');
    expect(await verdict({ ...rest, 'svix-signature': signature, 'svix-id': 'msg_other' })).toBe('timestamp_missing');
    expect(await verdict({ ...right, 'svix-signature': 'v1,AAAA', 'svix-id': 'msg_other' })).toBe('ok s0');
  });

  it('need a secret of the right form: what lenient decoding would make of another one is not tried', async () => {
    const raw = secretOf('k').slice('whsec_'.length);
    expect(await verdict(right, app(raw))).toBe('ok s0');
    const urlSafe = `whsec_${Buffer.alloc(24, 0xff).toString('base64url')}`;
    for (const value of [
      `v1,${secretOf('k')}`,
      `${secretOf('k')}\n`,
      ` ${secretOf('k')}`,
      'whsec_',
      'whsec_%%%%',
      urlSafe,
      'a plain word',
    ]) {
      expect([value, await verdict(right, app(value))]).toEqual([value, 'no_secret']);
    }
    expect(await verdict(right, app('not base64!', secretOf('k')))).toBe('ok s1');
  });

  it('are not made with the text of the secret', async () => {
    const text = createHmac('sha256', secretOf('k'))
      .update(`${right['webhook-id']}.${right['webhook-timestamp']}.`)
      .update(body)
      .digest('base64');
    expect(await verdict({ ...right, 'webhook-signature': `v1,${text}` })).toBe('signature_mismatch');
  });
});

describe('Standard Webhooks deliveries', () => {
  const windowOf = (data: Record<string, unknown>) => read(item(data)).notices[0]?.window;

  it('are known again by their message id, whatever the body', () => {
    expect(read(event({})).deliveryId).toEqual({ value: 'msg_1', kind: 'strict' });
    expect(read(event({ region: 'eu' })).deliveryId).toEqual({ value: 'msg_1', kind: 'strict' });
  });

  it('point at the narrowest that they name', () => {
    expect(windowOf({ id: 7, date: '2026-09-15' })).toEqual({ kind: 'object', id: '7' });
    expect(windowOf({ date: '2026-12-31', start: '2026-01-01' })).toEqual({ kind: 'days', from: '2026-12-31', to: '2027-01-01' });
    expect(windowOf({ start: '2026-09-14', end: '2026-09-14' })).toEqual({ kind: 'days', from: '2026-09-14', to: '2026-09-15' });
    expect(windowOf({ id: null })).toEqual({ kind: 'whole' });
  });

  it('have instants in UTC, to the microsecond, and a moment is a span that holds it', () => {
    expect(windowOf({ start: '2026-09-14T23:10:30+02:00', end: '2026-09-15T06:41:30.5+02:00' })).toEqual({
      kind: 'instants',
      from: '2026-09-14T21:10:30.000000Z',
      to: '2026-09-15T04:41:30.500000Z',
    });
    expect(windowOf({ start: '2026-09-14T10:00:00Z', end: '2026-09-14T12:00:00+02:00' })).toEqual({
      kind: 'instants',
      from: '2026-09-14T10:00:00.000000Z',
      to: '2026-09-14T10:00:00.000001Z',
    });
  });

  it('find the person under any of its names, and the same one under two', () => {
    for (const name of ['subject', 'patientId', 'patient_id', 'userId', 'user_id']) {
      expect(read(event({ data: { [name]: 42, id: 'x' } })).notices).toEqual([notice({ subjectId: '42' })]);
    }
    expect(read(event({ data: { userId: 42, user_id: '42', id: 'x' } })).notices).toEqual([notice({ subjectId: '42' })]);
  });

  it('are as new as their record says, else as their payload says, else of no known time', () => {
    const updatedAt = '2026-09-15T05:00:00.000001Z';
    expect(read(item({ updatedAt })).notices[0]?.version).toBe(1_789_448_400_000_001);
    expect(read(item({ updated_at: updatedAt })).notices[0]?.version).toBe(1_789_448_400_000_001);
    expect(read(item({})).notices[0]?.version).toBe(1_789_448_544_000_000);
    expect(read(event({ timestamp: undefined })).notices[0]?.version).toBeUndefined();
  });

  it('say when a record is gone, and when the grant is to be looked at', () => {
    const of = (type: string) => read(event({ type })).notices[0];
    expect(of('vitals.heart-rate.deleted')).toEqual(notice({ collection: 'vitals.heart-rate', kind: 'deleted' }));
    const grant = notice({ collection: grantCollection, kind: 'changed', window: { kind: 'whole' } });
    for (const type of ['consent.revoked', 'grant.deleted', 'grant.updated']) expect([type, of(type)]).toEqual([type, grant]);
    expect(read(fixture('consent-revoked.json')).notices).toMatchObject([{ subjectId: 'pat-7', collection: grantCollection }]);
  });

  it('give no notice for types of another form', () => {
    for (const type of [
      'updated',
      '.updated',
      'sleep.',
      'sleep',
      'sleep.Updated',
      '1sleep.updated',
      'sl eep.updated',
      `${'x'.repeat(65)}.updated`,
    ]) {
      expect([type, read(event({ type })).notices]).toEqual([type, []]);
    }
  });

  it('C131: that name one thing twice give one notice', () => {
    const data = [
      { subject: 'p', id: 'x' },
      { subject: 'p', id: 'x', note: 'again' },
      { subject: 'p', id: 'y' },
    ];
    expect(read(event({ data })).notices.map(({ window }) => window)).toEqual([
      { kind: 'object', id: 'x' },
      { kind: 'object', id: 'y' },
    ]);
    expect(read(event({ data: [] })).notices).toEqual([]);
  });

  it('that are malformed in one item tell of the others, and complain of the first such item; of all of them, they are malformed', () => {
    const data = [
      { subject: 'p', id: '' },
      { subject: 'p', id: 'x' },
      { subject: 'q', date: '2026-02-30' },
    ];
    const { notices, complaint } = read(event({ data }));
    expect(notices).toEqual([notice({ subjectId: 'p' })]);
    expect(complaint).toBe('data[0].id: expected text');
    expect(() => read(event({ data: [data[0], data[2]] }))).toThrow(new MalformedDelivery('data[0].id: expected text'));
  });

  it('of days that no database has, or that no day follows, are malformed', () => {
    for (const date of ['0000-01-01', '1899-12-31', '2200-01-01', '9999-12-31']) {
      expect(() => read(event({ data: { subject: 'p', date } }))).toThrow(new MalformedDelivery('data.date: expected a day, YYYY-MM-DD'));
    }
  });
});
