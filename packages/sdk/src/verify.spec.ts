import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type HeadersInput } from './read-headers.js';
import { exampleSecret, signedExample, signedRequest } from './testing.js';
import { VerificationError, type VerificationErrorCode } from './verification-error.js';
import { type VerifyOptions, verify, verifySignature } from './verify.js';

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly id: string;
  readonly timestamp: number;
  readonly bodyBase64: string;
  readonly signature: string;
}
const golden = JSON.parse(readFileSync(new URL('../../../test/vectors/standard-webhooks.json', import.meta.url), 'utf8')) as {
  readonly vectors: readonly Vector[];
  readonly accepted: readonly Vector[];
  readonly refused: readonly Vector[];
};

const at = new Date('2026-11-30T07:12:44.031Z');
const now = () => at.getTime();
const otherSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

async function refusal(attempt: Promise<unknown>): Promise<VerificationError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(VerificationError);
  return error as VerificationError;
}

function judge(vector: Vector) {
  const headers = { 'webhook-id': vector.id, 'webhook-timestamp': String(vector.timestamp), 'webhook-signature': vector.signature };
  return verifySignature(Buffer.from(vector.bodyBase64, 'base64'), headers, vector.secret, { now: () => vector.timestamp * 1000 });
}

describe('the shared vectors', () => {
  it.each(golden.vectors)('$name: is written by us to the letter, and verified', async (vector) => {
    const body = Buffer.from(vector.bodyBase64, 'base64');
    const written = await signedRequest({ secret: vector.secret, id: vector.id, at: new Date(vector.timestamp * 1000), body });
    expect(written.headers['webhook-signature']).toBe(vector.signature);
    const verified = await judge(vector);
    expect(verified).toEqual({ id: vector.id, sentAt: new Date(vector.timestamp * 1000), body: new Uint8Array(body) });
  });
  it.each(golden.accepted)('$name: accepted', async (vector) => {
    expect((await judge(vector)).id).toBe(vector.id);
  });
  it.each(golden.refused)('$name: refused', async (vector) => {
    const { code } = await refusal(judge(vector));
    expect(['signature_mismatch', 'malformed_header', 'unsupported_version']).toContain(code);
  });
  it('bytes that are no text are not verified as the text that they decode to', async () => {
    const vector = golden.vectors.find(({ bodyBase64 }) => bodyBase64 === '//4=') as Vector;
    expect((await refusal(judge({ ...vector, bodyBase64: Buffer.from('\uFFFD\uFFFD').toString('base64') }))).code).toBe(
      'signature_mismatch',
    );
  });
});

describe('an event', () => {
  it('comes back whole, with its id, its attempt and the time of the attempt', async () => {
    const { body, headers } = await signedExample('daily.updated', { secret: exampleSecret, at, id: 'evt_1', deliveryAttempt: 3 });
    const event = await verify(body, headers, exampleSecret, { now });
    expect(event).toMatchObject({ id: 'evt_1', known: true, type: 'daily.updated', deliveryAttempt: 3, timestamp: at.toISOString() });
    expect(event.sentAt.toISOString()).toBe('2026-11-30T07:12:44.000Z');
    expect(event.known && event.type === 'daily.updated' && [event.data.localDate, event.data.record.value]).toEqual(['2026-11-29', 8_431]);
  });
  it('of a type newer than the SDK passes through as unknown', async () => {
    const body = JSON.stringify({ type: 'moon.risen', timestamp: at.toISOString(), deliveryAttempt: 1, data: { phase: 'full' } });
    const { headers } = await signedRequest({ secret: exampleSecret, id: 'evt_1', at, body });
    expect(await verify(body, headers, exampleSecret, { now })).toMatchObject({
      known: false,
      type: 'moon.risen',
      data: { phase: 'full' },
    });
  });
  it('is read from the bytes that were checked, though the buffer is used again meanwhile', async () => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at, data: { message: 'first' } });
    const pooled = Uint8Array.from(body);
    const reading = verify(pooled, headers, exampleSecret, { now });
    await Promise.resolve();
    pooled.fill(0x20);
    const outcome = await reading.then(
      (event) => (event.data as { message: string }).message,
      (error: VerificationError) => error.code,
    );
    expect(['first', 'signature_mismatch']).toContain(outcome);
  });
  it.each([
    ['Buffer', (body: Uint8Array) => Buffer.from(body)],
    ['text', (body: Uint8Array) => new TextDecoder().decode(body)],
    ['ArrayBuffer', (body: Uint8Array) => Uint8Array.from(body).buffer],
  ])('is read from %s', async (_, shape) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    expect((await verify(shape(body), headers, exampleSecret, { now })).type).toBe('endpoint.test');
  });
});

describe('headers', () => {
  it.each<[string, (headers: Record<string, string>) => HeadersInput]>([
    ['a plain object', (headers) => headers],
    ['upper case', (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))],
    ['Node, with lists', (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    ['Headers', (headers) => new Headers(headers)],
    [
      'a Map with names in mixed case',
      (headers) => new Map(Object.entries(headers).map(([name, value]) => [name.replace('w', 'W'), value])),
    ],
    ['pairs', (headers) => Object.entries(headers)],
    ['an object with get', (headers) => ({ get: (name: string) => headers[name] })],
  ])('are read from %s', async (_, shape) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    expect((await verify(body, shape(headers), exampleSecret, { now })).type).toBe('endpoint.test');
  });

  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  it.each(names)('without %s are refused by that name', async (name) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const { [name]: _, ...rest } = headers;
    expect(await refusal(verify(body, rest, exampleSecret, { now }))).toMatchObject({ code: 'missing_header', header: name });
  });
  it.each([
    ['webhook-id', 'evt.1'],
    ['webhook-id', ''],
    ['webhook-id', 'evt 1'],
    ['webhook-id', 'evt_1, evt_1'],
    ['webhook-id', 'e'.repeat(257)],
    ['webhook-timestamp', '+1796022764'],
    ['webhook-timestamp', ' 1796022764'],
    ['webhook-timestamp', '1796022764abc'],
    ['webhook-timestamp', '1796022764.5'],
    ['webhook-timestamp', '01796022764'],
    ['webhook-timestamp', '1e9'],
    ['webhook-timestamp', '-1'],
    ['webhook-signature', ''],
    ['webhook-signature', 'v1'],
    ['webhook-signature', 'v1,AAAA  v1,AAAA'],
    ['webhook-signature', ' v1,AAAA'],
    ['webhook-signature', 'v1,AAAA\n'],
    ['webhook-signature', `v1,${'A'.repeat(4_096)}`],
  ])('with %s "%s" are refused as malformed', async (name, value) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const attempt = verify(body, { ...headers, [name]: value }, exampleSecret, { now });
    expect(await refusal(attempt)).toMatchObject({ code: 'malformed_header', header: name });
  });
  it('that come twice are refused, equal or not', async () => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const twice = [...Object.entries(headers), ['Webhook-Id', headers['webhook-id']] as const];
    expect(await refusal(verify(body, twice, exampleSecret, { now }))).toMatchObject({ code: 'malformed_header', header: 'webhook-id' });
    const listed = { ...headers, 'webhook-signature': [headers['webhook-signature'], headers['webhook-signature']] };
    expect((await refusal(verify(body, listed, exampleSecret, { now }))).code).toBe('malformed_header');
  });
  it.each<[string, string, unknown, VerificationErrorCode]>([
    ['webhook-id', 'an empty list', [], 'missing_header'],
    ['webhook-id', 'null', null, 'missing_header'],
    ['webhook-id', 'a list in a list', [['evt_1']], 'malformed_header'],
    ['webhook-id', 'a list of nothing', [null], 'malformed_header'],
    ['webhook-timestamp', 'an object', { toString: () => '1796022764' }, 'malformed_header'],
  ])('whose %s is %s are refused', async (name, _, value, code) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const attempt = verify(body, { ...headers, [name]: value } as HeadersInput, exampleSecret, { now });
    expect(await refusal(attempt)).toMatchObject({ code, header: name });
  });
  it('that nobody sent, but that every object inherits, are not read', async () => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const attempt = verify(body, Object.create(headers) as HeadersInput, exampleSecret, { now });
    expect((await refusal(attempt)).code).toBe('missing_header');
  });
  it('with versions that we do not know, and none that we do, say so', async () => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const attempt = verify(body, { ...headers, 'webhook-signature': 'v1a,AAAA v9,AAAA' }, exampleSecret, { now });
    expect((await refusal(attempt)).code).toBe('unsupported_version');
  });
});

describe('the timestamp', () => {
  const signedSecondsAgo = async (seconds: number, options: VerifyOptions = {}) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at: new Date(at.getTime() - seconds * 1000) });
    return verify(body, headers, exampleSecret, { now, ...options });
  };
  it.each([300, -300, 0])('is accepted %d s from now', async (seconds) => {
    expect((await signedSecondsAgo(seconds)).type).toBe('endpoint.test');
  });
  it.each<[number, VerificationErrorCode]>([
    [301, 'timestamp_too_old'],
    [-301, 'timestamp_too_new'],
  ])('is refused %d s from now, with the skew', async (skewSeconds, code) => {
    expect(await refusal(signedSecondsAgo(skewSeconds))).toMatchObject({ code, skewSeconds });
  });
  it('is held to the tolerance that was asked for, 0 included', async () => {
    expect((await signedSecondsAgo(0, { toleranceSeconds: 0 })).type).toBe('endpoint.test');
    expect((await refusal(signedSecondsAgo(1, { toleranceSeconds: 0 }))).code).toBe('timestamp_too_old');
    expect((await signedSecondsAgo(3_600, { toleranceSeconds: 3_600 })).type).toBe('endpoint.test');
  });
  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('is never let through by a tolerance of %d', async (toleranceSeconds) => {
    await expect(signedSecondsAgo(0, { toleranceSeconds })).rejects.toThrow(RangeError);
  });
  it('is covered by the signature', async () => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const moved = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) };
    expect((await refusal(verify(body, moved, exampleSecret, { now }))).code).toBe('signature_mismatch');
  });
});

describe('secrets', () => {
  it("of a rotation verify each other's time: old, new and both", async () => {
    const both = await signedExample('endpoint.test', { secret: [otherSecret, exampleSecret], at });
    for (const secrets of [exampleSecret, otherSecret, [otherSecret, exampleSecret]]) {
      expect((await verify(both.body, both.headers, secrets, { now })).type).toBe('endpoint.test');
    }
    const old = await signedExample('endpoint.test', { secret: otherSecret, at });
    expect((await verify(old.body, old.headers, [exampleSecret, otherSecret], { now })).type).toBe('endpoint.test');
    expect((await refusal(verify(old.body, old.headers, exampleSecret, { now }))).code).toBe('signature_mismatch');
  });
  it.each([
    ['', 'no_secret'],
    [[], 'no_secret'],
    [undefined, 'no_secret'],
    [[exampleSecret, ''], 'malformed_secret'],
    ['secret', 'malformed_secret'],
  ])('%j is refused as %s, never taken for "accept everything"', async (secrets, code) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    expect((await refusal(verify(body, headers, secrets as string, { now }))).code).toBe(code);
  });
});

describe('a body', () => {
  const posing: unknown = Object.create(Uint8Array.prototype);
  it.each([[{ type: 'endpoint.test' }], [[1, 2]], [null], [undefined], [12], [posing]])(
    '%j is refused with the remedy for each framework',
    async (body) => {
      const { headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
      const error = await refusal(verify(body as string, headers, exampleSecret, { now }));
      expect(error.code).toBe('body_not_bytes');
      for (const word of ['express.raw', 'Fastify', 'rawBody', 'arrayBuffer', 'isBase64Encoded']) expect(error.message).toContain(word);
    },
  );
  it.each([
    ['', 'body_not_json'],
    ['{"type"', 'body_not_json'],
    ['\uFEFF{}', 'body_not_json'],
    ['[]', 'malformed_event'],
    ['null', 'malformed_event'],
    ['{"type":"a b","timestamp":"2026-11-30T07:12:44Z","deliveryAttempt":1,"data":{}}', 'malformed_event'],
    ['{"type":"a.b","timestamp":"yesterday","deliveryAttempt":1,"data":{}}', 'malformed_event'],
    ['{"type":"a.b","timestamp":"2026-11-30T07:12:44Z","deliveryAttempt":0,"data":{}}', 'malformed_event'],
    ['{"type":"a.b","timestamp":"2026-11-30T07:12:44Z","deliveryAttempt":1}', 'malformed_event'],
  ])('%j, rightly signed, is %s', async (body, code) => {
    const { headers } = await signedRequest({ secret: exampleSecret, id: 'evt_1', at, body });
    expect((await refusal(verify(body, headers, exampleSecret, { now }))).code).toBe(code);
  });
  it('that is no UTF-8, rightly signed, is not JSON', async () => {
    const body = Uint8Array.from([0x22, 0xff, 0x22]);
    const { headers } = await signedRequest({ secret: exampleSecret, id: 'evt_1', at, body });
    expect((await refusal(verify(body, headers, exampleSecret, { now }))).code).toBe('body_not_json');
  });
});
