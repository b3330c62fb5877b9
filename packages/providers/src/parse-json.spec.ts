import { describe, expect, it } from '@jest/globals';
import { parseJson } from './parse-json.js';
import { MalformedDelivery } from './provider.js';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('JSON from a provider', () => {
  it('keeps whole numbers that a JS number would round', () => {
    expect(parse('{"a":9007199254740993,"b":-18446744073709551615,"c":[12345678901234567890]}')).toEqual({
      a: 9007199254740993n,
      b: -18446744073709551615n,
      c: [12345678901234567890n],
    });
  });

  it('gives plain numbers for all others, long text beside them or not', () => {
    expect(parse('{"a":1,"b":1.5,"c":9007199254740991,"d":1e3}')).toEqual({ a: 1, b: 1.5, c: 9007199254740991, d: 1000 });
    expect(parse('{"a":1,"b":0.1234567890123456,"t":"1234567890123456789"}')).toEqual({
      a: 1,
      b: 0.1234567890123456,
      t: '1234567890123456789',
    });
  });

  it('takes the last of two equal keys, long numbers or not', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 });
    expect(parse('{"a":1,"a":2,"n":"1234567890123456"}')).toEqual({ a: 2, n: '1234567890123456' });
  });

  it('says where the fault is and quotes nothing', () => {
    for (const text of ['', '{', '{"secret":x}', '{"secret":1234567890123456,}', '{"a":1}secret']) {
      expect(() => parse(text)).toThrow(MalformedDelivery);
      expect(() => parse(text)).toThrow(/^body: not JSON( at position \d+)?$/);
    }
  });

  it('survives nesting that would overflow a stack', () => {
    expect(() => parse(`${'['.repeat(60_000)}1234567890123456`)).toThrow(MalformedDelivery);
  });
});
