import { describe, expect, it } from '@jest/globals';
import { tinkKeyPair, tinkKeyset } from '../../testing/tink-keys.js';
import { provesEcdsa, readTinkKeyset, readTinkSignature } from './tink-ecdsa.js';

const body = Buffer.from('[{"data":{"dataType":"steps"}}]');
const proves = (keyset: string, signature: string, message: Uint8Array = body) => {
  const read = readTinkSignature(signature);
  return read !== undefined && provesEcdsa(readTinkKeyset(keyset).get(read.keyId) ?? [], message, read.der);
};

describe('a signature in the framing of Tink', () => {
  const pair = tinkKeyPair(0xf0000001);

  it('is proved by the key that its prefix names, and over these bytes only', () => {
    const other = tinkKeyPair(7);
    expect(proves(tinkKeyset(other, pair), pair.sign(body))).toBe(true);
    expect(proves(tinkKeyset(other, pair), other.sign(body))).toBe(true);
    expect(proves(tinkKeyset(other), pair.sign(body))).toBe(false);
    for (let at = 0; at < body.length; at += 1) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] as number) ^ 1;
      expect(proves(tinkKeyset(pair), pair.sign(body), changed)).toBe(false);
    }
  });

  it('of another key under the same id is refused, and either of two keys with one id proves', () => {
    const twin = tinkKeyPair(pair.keyId);
    expect(proves(tinkKeyset(pair), twin.sign(body))).toBe(false);
    expect(proves(tinkKeyset(pair, twin), twin.sign(body))).toBe(true);
    expect(proves(tinkKeyset(pair, twin), pair.sign(body))).toBe(true);
  });

  it('survives whatever coordinates a key has: with a sign byte, without, and with leading zeros', () => {
    for (let round = 0; round < 40; round += 1) {
      const key = tinkKeyPair(round, { signedCoordinates: round % 2 === 0 });
      expect(proves(tinkKeyset(key), key.sign(body))).toBe(true);
    }
  });

  it('is one text only: no padding left out, nothing hung on, no other prefix, no throw', () => {
    const right = pair.sign(body);
    const bytes = Buffer.from(right, 'base64');
    const wrong = [
      '',
      ' ',
      right.slice(0, -1),
      right.slice(0, 8),
      `${right}=`,
      `${right}A`,
      `${right}\n`,
      ` ${right}`,
      `${right}, ${right}`,
      bytes.toString('hex'),
      bytes.subarray(5).toString('base64'),
      bytes.subarray(0, 5).toString('base64'),
      Buffer.concat([Buffer.of(0), bytes.subarray(1)]).toString('base64'),
      Buffer.concat([bytes, Buffer.of(0)]).toString('base64'),
      bytes.subarray(0, -1).toString('base64'),
      Buffer.concat([bytes.subarray(0, 5), Buffer.alloc(70)]).toString('base64'),
      'é'.repeat(right.length),
      'A'.repeat(10_000),
    ];
    for (const text of wrong) expect([text, proves(tinkKeyset(pair), text)]).toEqual([text, false]);
  });

  it('may be in the alphabet of URLs', () => {
    expect(proves(tinkKeyset(pair), pair.sign(body).replaceAll('+', '-').replaceAll('/', '_'))).toBe(true);
  });
});

describe('a keyset', () => {
  const idsOf = (text: string) => [...readTinkKeyset(text).keys()];

  it('holds only keys that are enabled and of this very scheme', () => {
    const keyData = tinkKeyPair(1).entry['keyData'] as Record<string, unknown>;
    const set = tinkKeyset(
      tinkKeyPair(1, { entry: { status: 'DISABLED' } }),
      tinkKeyPair(2, { entry: { outputPrefixType: 'RAW' } }),
      tinkKeyPair(3, { entry: { keyData: { ...keyData, typeUrl: 'type.googleapis.com/google.crypto.tink.Ed25519PublicKey' } } }),
      tinkKeyPair(4, { params: [0x08, 1, 0x10, 2, 0x18, 2] }),
      tinkKeyPair(5, { params: [0x08, 3, 0x10, 3, 0x18, 2] }),
      tinkKeyPair(6, { params: [0x08, 3, 0x10, 2, 0x18, 1] }),
      tinkKeyPair(7, { params: [] }),
      tinkKeyPair(8, { params: [0x08] }),
      tinkKeyPair(9, { curve: 'P-384' }),
      tinkKeyPair(10, { entry: { keyId: '10' } }),
      tinkKeyPair(11, { entry: { keyData: undefined } }),
      tinkKeyPair(12, { entry: { keyData: { ...keyData, value: 'GgEB' } } }),
      tinkKeyPair(13, { entry: { keyData: { ...keyData, value: Buffer.from([0x12, 0xff]).toString('base64') } } }),
      // A coordinate that is off the curve.
      tinkKeyPair(14, {
        entry: { keyData: { ...keyData, value: Buffer.from([0x12, 6, 8, 3, 16, 2, 24, 2, 0x1a, 1, 9, 0x22, 1, 9]).toString('base64') } },
      }),
      tinkKeyPair(15),
    );
    expect(idsOf(set)).toEqual([15]);
  });

  it('may print an id as a signed number, and hold fields that nobody documented', () => {
    const negative = tinkKeyPair(0xffffffff, { entry: { keyId: -1, region: 'eu' } });
    expect(proves(tinkKeyset(negative), negative.sign(body))).toBe(true);
  });

  it('that is no keyset has no keys', () => {
    for (const text of ['', '<html>', 'null', '[]', '{}', '{"key":7}', '{"key":[null,1,"x"]}']) expect(idsOf(text)).toEqual([]);
  });
});
