import { describe, expect, it } from '@jest/globals';
import { exampleSecret, signedRequest } from './testing.js';
import { type VerificationError } from './verification-error.js';
import { verify } from './verify.js';

const at = new Date('2026-11-30T07:12:44.031Z');
const note = 'café 😀';
const compact = `{"type":"endpoint.test","data":{"message":"${note}"}}`;

async function refusalOf(sent: string, received: string | Uint8Array, explain = true): Promise<VerificationError> {
  const { headers } = await signedRequest({ secret: exampleSecret, id: 'evt_1', at, body: sent });
  const error = await verify(received, headers, exampleSecret, { now: () => at.getTime(), explain }).catch((reason: unknown) => reason);
  return error as VerificationError;
}

describe('a body that was changed on the way', () => {
  it.each([
    ['newline_added', compact, `${compact}\n`],
    ['newline_added', compact, `${compact}\r\n`],
    ['newline_removed', `${compact}\n`, compact],
    ['bom_added', compact, `\uFEFF${compact}`],
    ['bom_removed', `\uFEFF${compact}`, compact],
    ['line_ends_changed', '{\n"a":1\n}', '{\r\n"a":1\r\n}'],
    ['line_ends_changed', '{\r\n"a":1\r\n}', '{\n"a":1\n}'],
    ['whitespace_added', compact, `  ${compact} `],
    ['json_reserialised', compact, JSON.stringify(JSON.parse(compact), null, 2)],
    ['json_reserialised', compact, compact.replace('é', '\\u00e9')],
    ['json_encoded_twice', compact, JSON.stringify(compact)],
    ['base64_encoded', compact, Buffer.from(compact).toString('base64')],
    ['decoded_as_latin1', compact, Buffer.from(compact).toString('latin1')],
  ])('%s: is refused, and the mistake is named', async (mistake, sent, received) => {
    const error = await refusalOf(sent, received);
    expect([error.code, error.bodyMistake]).toEqual(['signature_mismatch', mistake]);
    expect(error.message).toMatch(/^The body was changed before it was verified: /);
  });

  it('is not explained by a change that was not made', async () => {
    const error = await refusalOf(compact, compact.replace('endpoint', 'elsewhere'));
    expect([error.code, error.bodyMistake]).toEqual(['signature_mismatch', undefined]);
    expect(error.message).toMatch(/secret.*raw bytes.*forged/s);
  });
  it('is not explained when that was not asked for, or when it is too large to be worth it', async () => {
    expect((await refusalOf(compact, `${compact}\n`, false)).bodyMistake).toBeUndefined();
    const large = JSON.stringify({ a: 'x'.repeat(70_000) });
    expect((await refusalOf(large, `${large}\n`)).bodyMistake).toBeUndefined();
  });
  it('is refused without a word of the body, the signature or the secret', async () => {
    for (const received of [`${compact}\n`, 'endpoint elsewhere', Uint8Array.from([0xff, 0xfe])]) {
      const error = await refusalOf(compact, received);
      const shown = [error.message, error.stack, JSON.stringify(error), String(error.cause)].join('\n');
      for (const secret of [note, 'message', 'elsewhere', exampleSecret.slice(6), 'v1,']) expect(shown).not.toContain(secret);
    }
  });
});
