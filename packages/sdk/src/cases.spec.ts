import { describe, expect, it } from '@jest/globals';
import { exampleSecret, signedExample, signedRequest } from './testing.js';
import { VerificationError } from './verification-error.js';
import { verify, verifySignature } from './verify.js';

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
