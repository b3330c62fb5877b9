import { describe, expect, it } from '@jest/globals';
import { rawRequest } from '../testing/raw-request.js';
import { MalformedDelivery } from './provider.js';
import { asCivilDay, asEpochSeconds, asId, asInstant, asList, asObject, asText, bodyList, bodyObject } from './read-fields.js';

const SECRET = 'private-value';
const complaint = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    return error instanceof MalformedDelivery ? error.detail : String(error);
  }
  return 'no complaint';
};

describe('fields of a body', () => {
  it('are named by their path in a complaint, and never quoted', () => {
    const readers = { asObject, asList, asId, asCivilDay, asInstant, asEpochSeconds };
    for (const [name, read] of Object.entries(readers)) {
      const value = name === 'asId' ? `${SECRET}\0` : SECRET;
      const detail = complaint(() => read(value, 'items[3].field'));
      expect([name, detail.startsWith('items[3].field: '), detail.includes(SECRET)]).toEqual([name, true, false]);
    }
    expect(complaint(() => asText([SECRET], 'a.b'))).toBe('a.b: expected text');
  });

  it('are objects and lists only when they are', () => {
    for (const value of [null, undefined, [], 'x', 1]) expect(complaint(() => asObject(value, 'p'))).toBe('p: expected an object');
    for (const value of [null, undefined, {}, 'x', { length: 0 }]) expect(complaint(() => asList(value, 'p'))).toBe('p: expected a list');
    expect(bodyObject(rawRequest({ body: Buffer.from('{"a":1}') }))).toEqual({ a: 1 });
    expect(bodyList(rawRequest({ body: Buffer.from('[{"a":1}]') }))).toEqual([{ a: 1 }]);
  });

  it('that are ids keep every digit and every letter', () => {
    for (const [value, id] of [
      [9007199254740993n, '9007199254740993'],
      [0, '0'],
      ['00012', '00012'],
      [' a ', ' a '],
      ['Žofie 🏃', 'Žofie 🏃'],
      ['x'.repeat(256), 'x'.repeat(256)],
    ] as const) {
      expect(asId(value, 'p')).toBe(id);
    }
    for (const value of [1.5, 1e21, Number.NaN, '', null, true, {}, ['a']])
      expect(complaint(() => asId(value, 'p'))).toBe('p: expected text');
    expect(complaint(() => asId('\udc00', 'p'))).toBe('p: holds a NUL or half a surrogate pair');
    expect(complaint(() => asId('x'.repeat(257), 'p'))).toBe('p: longer than 256 characters');
  });

  it('that are days are days of the calendar', () => {
    expect(asCivilDay('2028-02-29', 'p')).toBe('2028-02-29');
    for (const value of ['2027-02-29', '2026-9-1', '20260901', '2026-09-01T00:00:00Z', 20260901, null]) {
      expect(complaint(() => asCivilDay(value, 'p'))).toBe('p: expected a day, YYYY-MM-DD');
    }
  });

  it('that are instants have an offset and a version', () => {
    expect(asInstant('1970-01-01T01:00:00.000001+01:00', 'p')).toBe(1);
    for (const value of ['1970-01-01T00:00:00', '1969-12-31T23:59:59Z', '9999-01-01T00:00:00Z', 0, null]) {
      expect(complaint(() => asInstant(value, 'p'))).toBe('p: expected an instant in RFC 3339');
    }
  });

  it('that are seconds may be text, as in a form', () => {
    expect([asEpochSeconds(0, 'p'), asEpochSeconds('1789452300', 'p'), asEpochSeconds(253_402_300_799, 'p')]).toEqual([
      0, 1_789_452_300, 253_402_300_799,
    ]);
    for (const value of [-1, 1.5, '', ' 1', '1e9', '-1', '9'.repeat(12), 253_402_300_800, 1n, null, [1]]) {
      expect(complaint(() => asEpochSeconds(value, 'p'))).toBe('p: expected whole seconds since 1970');
    }
  });
});
