import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { goldenVectors } from './golden-vectors.js';
import { createVerifier, verifySync } from './node.js';
import { signedContent } from './signature.js';
import { nodeCrypto } from './signature.node.js';
import { webCrypto } from './signature.web.js';
import { exampleSecret, signedExample, signedRequest } from './testing.js';
import { VerificationError } from './verification-error.js';
import { tryVerify, verifySignature } from './verify.js';

interface Asymmetric {
  readonly name: string;
  readonly secret: string;
  readonly publicKey: string;
  readonly id: string;
  readonly timestamp: number;
  readonly bodyBase64: string;
  readonly signature: string;
}
const shared = JSON.parse(readFileSync(new URL('../../../test/vectors/standard-webhooks.json', import.meta.url), 'utf8')) as {
  readonly asymmetric: readonly Asymmetric[];
};

const headersOf = ({ id, timestamp, signature }: { id: string; timestamp: number; signature: string }) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});
const refusals = ['signature_mismatch', 'malformed_header', 'unsupported_version'];

describe.each([
  ['webCrypto', webCrypto],
  ['nodeCrypto', nodeCrypto],
])('%s', (_, crypto) => {
  it.each(goldenVectors)('judges the vector rightly: $name', async ({ secret, bodyBase64, valid, ...vector }) => {
    const now = () => vector.timestamp * 1000;
    const outcome = await verifySignature(Buffer.from(bodyBase64, 'base64'), headersOf(vector), secret, { now, crypto }).then(
      ({ body }) => Buffer.from(body).toString('base64'),
      (error: VerificationError) => error.code,
    );
    if (valid) expect(outcome).toBe(bodyBase64);
    else expect(refusals).toContain(outcome);
  });
  it.each(shared.asymmetric)('proves by the public key what was signed with the private one: $name', async (vector) => {
    const body = Buffer.from(vector.bodyBase64, 'base64');
    const at = new Date(vector.timestamp * 1000);
    const written = await signedRequest({ secret: vector.secret, id: vector.id, at, body });
    expect(written.headers['webhook-signature']).toBe(vector.signature);
    const options = { now: () => at.getTime(), crypto };
    expect((await verifySignature(body, headersOf(vector), vector.publicKey, options)).id).toBe(vector.id);
    const other = Buffer.concat([body, Buffer.from(' ')]);
    await expect(verifySignature(other, headersOf(vector), vector.publicKey, options)).rejects.toMatchObject({
      code: 'signature_mismatch',
    });
  });
  it('says which key is missing when the entries are of the other scheme', async () => {
    const { secret, ...vector } = goldenVectors.find(({ name }) => name.startsWith('C')) as (typeof goldenVectors)[number];
    const options = { now: () => vector.timestamp * 1000, crypto };
    const body = Buffer.from(vector.bodyBase64, 'base64');
    await expect(verifySignature(body, headersOf(vector), exampleSecret, options)).rejects.toMatchObject({
      code: 'unsupported_version',
      message: expect.stringContaining('whpk_'),
    });
    expect((await verifySignature(body, headersOf(vector), [exampleSecret, secret], options)).id).toBe(vector.id);
    // The public key, taken for a shared secret: whoever knows it could sign.
    await expect(verifySignature(body, headersOf(vector), secret.slice('whpk_'.length), options)).rejects.toMatchObject({
      code: 'unsupported_version',
    });
  });
  it('refuses values of a v1a entry that are no signature', async () => {
    const { secret, ...vector } = goldenVectors.find(({ name }) => name.startsWith('C')) as (typeof goldenVectors)[number];
    const options = { now: () => vector.timestamp * 1000, crypto };
    for (const value of [
      '',
      'AAAA',
      vector.signature.slice(4, -4),
      `${vector.signature.slice(4)}AAAA`,
      vector.signature.slice(4).replace('/', '_'),
    ]) {
      const attempt = verifySignature(
        Buffer.from(vector.bodyBase64, 'base64'),
        headersOf({ ...vector, signature: `v1a,${value}` }),
        secret,
        options,
      );
      await expect(attempt).rejects.toMatchObject({ code: 'signature_mismatch' });
    }
  });
});

describe('the HMAC of nodeCrypto', () => {
  it('is that of Node for secrets and bodies of any length, across the limit to which both are joined', () => {
    const oracle = (secret: Uint8Array, body: Uint8Array) =>
      createHmac('sha256', secret).update('evt_1.1614265330.').update(body).digest('base64');
    for (const secretBytes of [24, 32, 63, 64]) {
      const secret = Uint8Array.from({ length: secretBytes }, (_, at) => (at * 37 + secretBytes) % 256);
      const proves = nodeCrypto.hmac(secret);
      // Falling lengths too, so that nothing of a longer body before is left in the way.
      for (const length of [0, 1, 8_000, 500, 8_174, 8_175, 8_176, 8_192, 70_000, 3]) {
        const body = Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 256);
        const content = signedContent('evt_1', '1614265330', body);
        expect([length, proves(content, [oracle(secret, body)])]).toEqual([length, true]);
        expect(proves(content, [oracle(secret, Uint8Array.of(...body.subarray(0, 100), 1))])).toBe(false);
      }
    }
  });
});

describe('verifySync', () => {
  it('gives the event, or throws what verify rejects with, the mistake named', async () => {
    const { body, headers } = await signedExample('daily.updated', { secret: exampleSecret, id: 'evt_1' });
    expect(verifySync(body, headers, exampleSecret)).toMatchObject({ id: 'evt_1', type: 'daily.updated' });
    const verifier = createVerifier([exampleSecret]);
    const codeOf = (attempt: () => unknown): unknown => {
      try {
        return attempt();
      } catch (error) {
        return error instanceof VerificationError ? [error.code, error.bodyMistake] : error;
      }
    };
    expect(codeOf(() => verifier(Buffer.concat([body, Buffer.from('\n')]), headers))).toEqual(['signature_mismatch', 'newline_added']);
    expect(codeOf(() => verifier(JSON.parse(Buffer.from(body).toString()) as string, headers))).toEqual(['body_not_bytes', undefined]);
    expect(codeOf(() => createVerifier([]))).toEqual(['no_secret', undefined]);
    expect(() => createVerifier(exampleSecret, { toleranceSeconds: -1 })).toThrow(RangeError);
  });
});

describe('tryVerify', () => {
  it('answers with the event or with the error', async () => {
    const { body, headers } = await signedExample('endpoint.test', { secret: exampleSecret });
    expect(await tryVerify(body, headers, exampleSecret)).toMatchObject({ ok: true, event: { type: 'endpoint.test' } });
    expect(await tryVerify(body, {}, exampleSecret)).toMatchObject({ ok: false, error: { code: 'missing_header' } });
    await expect(tryVerify(body, headers, exampleSecret, { toleranceSeconds: Number.NaN })).rejects.toThrow(RangeError);
  });
});

describe('a body above the limit', () => {
  it('is refused before it is hashed, text and bytes alike', async () => {
    const body = 'é'.repeat(600);
    const { headers } = await signedRequest({ secret: exampleSecret, id: 'evt_1', at: new Date(), body });
    const options = { maxBodyBytes: 1_199 };
    for (const sent of [body, Buffer.from(body)]) {
      await expect(verifySignature(sent, headers, exampleSecret, options)).rejects.toMatchObject({ code: 'body_too_large' });
      expect((await verifySignature(sent, headers, exampleSecret, { maxBodyBytes: 1_200 })).id).toBe('evt_1');
    }
  });
});
