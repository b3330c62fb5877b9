import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromBase64, toBase64 } from './base64.js';
import { readSecret, readSigningSecret } from './secret.js';

describe('base64', () => {
  it('is what Node writes, both ways, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(toBase64(bytes)).toBe(text);
        expect(fromBase64(text)).toEqual(bytes);
      }),
    );
  });
  it.each(['A', 'AA', 'AAA', 'AA=', 'A===', 'AB==', 'AAB=', 'AA-_', 'A A=', 'AAAA\n', '====', 'AA=A'])('%j has no bytes', (text) => {
    expect(fromBase64(text)).toBeUndefined();
  });
});

describe('a signing secret', () => {
  const digits = Buffer.alloc(32, 7).toString('base64');
  it('is read with its prefix and without', () => {
    const bytes = new Uint8Array(32).fill(7);
    for (const read of [readSecret, readSigningSecret]) {
      expect(read(`whsec_${digits}`)).toEqual({ version: 'v1', bytes });
      expect(read(digits)).toEqual({ version: 'v1', bytes });
    }
  });
  it.each([
    ['a line break', `whsec_${digits}\n`, 'line break'],
    ["another vendor's prefix", `v1,whsec_${digits}`, '`v1,`'],
    ['a prefix of the signature in front', `v1a,whpk_${digits}`, '`v1,`'],
    ['a private key', `whsk_${Buffer.alloc(64, 7).toString('base64')}`, 'private key'],
    ['a public key of another length', `whpk_${Buffer.alloc(33, 7).toString('base64')}`, '33 bytes'],
    ['a public key in base64url', `whpk_${Buffer.alloc(32, 255).toString('base64url')}`, 'base64url'],
    ['an empty public key', 'whpk_', 'empty'],
    ['nothing', '', 'empty'],
    ['nothing after the prefix', 'whsec_', 'empty'],
    ['base64url', `whsec_${Buffer.alloc(32, 255).toString('base64url')}`, 'base64url'],
    ['padding lost', `whsec_${digits.slice(0, -1)}`, 'padding'],
    ['prefix encoded as well', `whsec_${Buffer.from(`whsec_${digits}`).toString('base64')}x`, 'padding'],
    ['too short', `whsec_${Buffer.alloc(23).toString('base64')}`, '23 bytes'],
    ['too long', `whsec_${Buffer.alloc(65).toString('base64')}`, '65 bytes'],
    ['no text', 12, 'text'],
  ])('with %s is refused, and the defect is named', (_, secret, defect) => {
    expect(() => readSecret(secret)).toThrow(
      expect.objectContaining({ code: 'malformed_secret', message: expect.stringContaining(defect) }),
    );
  });
  it('is never in the error', () => {
    expect(() => readSecret(`whsec_${digits}!`)).toThrow(expect.objectContaining({ message: expect.not.stringContaining(digits) }));
  });
  it('that proves only is a public key, of 32 bytes', () => {
    expect(readSecret(`whpk_${digits}`)).toEqual({ version: 'v1a', bytes: new Uint8Array(32).fill(7) });
  });
  it.each([
    ['a public key', `whpk_${digits}`, 'makes none'],
    ['half a private key', `whsk_${digits}`, '32 bytes'],
    ['nothing', '', 'empty'],
  ])('that is %s signs nothing', (_, secret, defect) => {
    expect(() => readSigningSecret(secret)).toThrow(
      expect.objectContaining({ code: 'malformed_secret', message: expect.stringContaining(defect) }),
    );
  });
});
