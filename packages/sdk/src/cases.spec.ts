import { describe, expect, it } from '@jest/globals';
import { exampleSecret, signedExample, signedRequest } from './testing.js';
import { createReceiver, memoryStore, replyTo } from './index.js';
import { VerificationError } from './verification-error.js';
import { tryVerify, verify, verifySignature } from './verify.js';

// What others have met, at the receiver.
const at = new Date('2026-11-30T07:12:44.031Z');
const now = () => at.getTime();
const signed = (body: Buffer) => signedRequest({ secret: exampleSecret, id: 'evt_1', at, body });

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    return error instanceof VerificationError ? error.code : `untyped ${String(error)}`;
  }
  return 'verified';
}

describe('signature', () => {
  it.each([
    ['é in its first place', (right: string) => `v1,é${right.slice(4)}`, 'malformed_header'],
    ['é in every place', (right: string) => `v1,${'é'.repeat(right.length - 3)}`, 'malformed_header'],
    ['nothing', () => '', 'malformed_header'],
    ['10 kB', () => `v1,${'A'.repeat(10_000)}`, 'malformed_header'],
    ['base64 of another length', () => 'v1,AAAA', 'signature_mismatch'],
  ])('C006: with %s is a refusal of its own kind, and never an untyped throw', async (_what, written, code) => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const attempt = verify(body, { ...headers, 'webhook-signature': written(headers['webhook-signature']) }, exampleSecret, { now });
    expect(await codeOf(attempt)).toBe(code);
  });
});

describe('raw body', () => {
  const body = Buffer.from('{ "b" : 1.0,\n\t"a":"\\u00e9", "path":"a\\/b" }  \n');
  it('C106: spaces, order, 1.0 and escapes are verified as they came, and not as they would be written again', async () => {
    const { headers } = await signed(body);
    expect((await verifySignature(body, headers, exampleSecret, { now })).body).toEqual(new Uint8Array(body));
    const again = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
    expect(await codeOf(verifySignature(again, headers, exampleSecret, { now }))).toBe('signature_mismatch');
  });
});

describe('unicode', () => {
  it('C114: an emoji is verified as its bytes, however they were cut on the way, and not as another encoding of it', async () => {
    const body = Buffer.from(JSON.stringify({ title: 'Ranní běh 🏃‍♀️' }));
    const { headers } = await signed(body);
    const within = body.indexOf('🏃') + 2;
    const joined = Buffer.concat([body.subarray(0, within), body.subarray(within)]);
    expect((await verifySignature(joined, headers, exampleSecret, { now })).id).toBe('evt_1');
    const decodedApart = Buffer.from(body.subarray(0, within).toString() + body.subarray(within).toString());
    expect(await codeOf(verifySignature(decodedApart, headers, exampleSecret, { now }))).toBe('signature_mismatch');
    expect(await codeOf(verifySignature(Buffer.from(body.toString(), 'latin1'), headers, exampleSecret, { now }))).toBe(
      'signature_mismatch',
    );
  });
});

describe('SDK verify', () => {
  const digits = exampleSecret.slice('whsec_'.length);
  it.each([
    ['with the prefix of a signature', `v1,${exampleSecret}`, 'v1,'],
    ['with a line break after it', `${exampleSecret}\n`, 'line break'],
    ['with a space before it', ` ${exampleSecret}`, 'space'],
    ['in URL-safe base64', `whsec_${Buffer.alloc(32, 0xfb).toString('base64url')}`, 'base64url'],
    ['empty', '', 'No signing secret'],
  ])('C099: a secret that was pasted %s is refused when the receiver is made, and the defect is named', (_, secrets, defect) => {
    expect(() => createReceiver({ secrets, store: memoryStore(), handlers: {} })).toThrow(
      expect.objectContaining({ name: 'VerificationError', message: expect.stringContaining(defect) }),
    );
  });
  it('C099: the base64 alone is the same secret', async () => {
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    expect((await verify(body, headers, digits, { now })).type).toBe('endpoint.test');
  });

  it.each([
    [1, 1, 'verified'],
    [1, 2, 'timestamp_too_old'],
    [300, 300, 'verified'],
    [300, 301, 'timestamp_too_old'],
    [0, 0, 'verified'],
    [0, 1, 'timestamp_too_old'],
    [undefined, 300, 'verified'],
    [undefined, 301, 'timestamp_too_old'],
  ])('C102: a tolerance of %p s counts seconds: one signed %d s ago is %s', async (toleranceSeconds, ago, code) => {
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret, at: new Date(at.getTime() - ago * 1000) });
    const options = { now, ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }) };
    expect(await codeOf(verify(body, headers, exampleSecret, options))).toBe(code);
  });
  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])(
    'C102: a tolerance of %d is refused when the receiver is made',
    (toleranceSeconds) => {
      expect(() => createReceiver({ secrets: exampleSecret, store: memoryStore(), handlers: {}, toleranceSeconds })).toThrow(RangeError);
    },
  );

  it('C104: what waited ten minutes is too old, unless it is judged by when it was received; its signature is judged all the same', async () => {
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const late = { now: () => at.getTime() + 600_000 };
    expect(await codeOf(verify(body, headers, exampleSecret, late))).toBe('timestamp_too_old');
    expect((await verify(body, headers, exampleSecret, { now: () => at.getTime() + 1_000 })).type).toBe('endpoint.test');
    expect((await verify(body, headers, exampleSecret, { ...late, toleranceSeconds: 900 })).type).toBe('endpoint.test');
    const forged = Uint8Array.from([...body, 0x20]);
    expect(await codeOf(verify(forged, headers, exampleSecret, { ...late, toleranceSeconds: 900 }))).toBe('signature_mismatch');
  });
});

describe('clock skew', () => {
  it.each([
    [299, 'verified'],
    [301, 'timestamp_too_old'],
    [-299, 'verified'],
    [-301, 'timestamp_too_new'],
  ])('C111: a clock %d s from that of the sender: %s; the error has both times, the answer neither', async (skewSeconds, code) => {
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    const ours = at.getTime() + skewSeconds * 1000;
    const options = { now: () => ours };
    expect(await codeOf(verify(body, headers, exampleSecret, options))).toBe(code);
    if (code === 'verified') return;
    const second = (ms: number) => new Date(Math.floor(ms / 1000) * 1000);
    expect(await tryVerify(body, headers, exampleSecret, options)).toMatchObject({
      error: { skewSeconds, sentAt: second(at.getTime()), checkedAt: second(ours) },
    });
    const handlers = { otherwise: () => undefined };
    const receiver = createReceiver({ secrets: exampleSecret, store: memoryStore(), handlers, ...options, onProblem: () => undefined });
    expect(replyTo(await receiver.receive({ body, headers }))).toEqual({
      status: 400,
      headers: { 'content-type': 'application/json' },
      body: `{"code":"${code}"}`,
    });
  });
  it('C111: a clock that gives no number lets nothing through', async () => {
    const { headers, body } = await signedExample('endpoint.test', { secret: exampleSecret, at });
    expect(await codeOf(verify(body, headers, exampleSecret, { now: () => Number.NaN }))).toMatch(/^timestamp_/);
  });
});

describe('text that is none', () => {
  const event = (message: string) =>
    `{"type":"endpoint.test","timestamp":"${at.toISOString()}","deliveryAttempt":1,"data":{"message":"${message}"}}`;
  it.each([
    ['a byte order mark in front', 'body_not_json', Buffer.from(`\uFEFF${event('x')}`)],
    ['bytes that are no UTF-8', 'body_not_json', Buffer.from(event('\xff'), 'latin1')],
    ['a surrogate alone, in UTF-8 of its own', 'body_not_json', Buffer.from(event('\xed\xa0\xbd'), 'latin1')],
    ['a surrogate alone, as an escape', 'verified', Buffer.from(event('\\ud83d'))],
    ['NUL, as an escape', 'verified', Buffer.from(event('a\\u0000b'))],
    ['NUL, as a byte', 'body_not_json', Buffer.from(event('a\0b'))],
  ])('%s, rightly signed: its signature is proved, and then it is %s', async (_, code, body) => {
    const { headers } = await signed(body);
    expect((await verifySignature(body, headers, exampleSecret, { now })).body).toEqual(new Uint8Array(body));
    expect(await codeOf(verify(body, headers, exampleSecret, { now }))).toBe(code);
  });
  it('a body given as text with half a character is another than the bytes that were signed', async () => {
    const { headers } = await signed(Buffer.from(event('😀')));
    expect(await codeOf(verify(event('😀').slice(0, -3), headers, exampleSecret, { now }))).toBe('signature_mismatch');
    expect(await codeOf(verify(event('\ud83d'), headers, exampleSecret, { now }))).toBe('signature_mismatch');
  });
  it('C116: NUL and the six characters that look like its escape are handed on as what they are', async () => {
    const body = Buffer.from(event(String.raw`a\u0000b \\u0000`));
    const { headers } = await signed(body);
    expect((await verify(body, headers, exampleSecret, { now })).data).toEqual({ message: 'a\0b \\u0000' });
  });
});
