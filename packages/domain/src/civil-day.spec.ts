import { describe, expect, it } from '@jest/globals';
import { addDays, civilDayAt, isCivilDay, offsetOfText } from './civil-day.js';
import { closesAt } from './closed-day.js';
import { dailyMetrics } from './metric.js';
import { rangeOf } from './range.js';
import { versionFromText, versionToText } from './version.js';
import { canonicalJson } from './canonical-json.js';

describe('civil days', () => {
  it.each([
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['2026-1-01', false],
    ['2026-09-14T00:00:00Z', false],
    ['', false],
  ])('%s is a day of the calendar: %s', (text, expected) => {
    expect(isCivilDay(text)).toBe(expected);
  });

  it('days are counted by the calendar, over months, leap days and years', () => {
    expect([addDays('2026-03-01', -1), addDays('2024-02-28', 1), addDays('2026-12-31', 1), addDays('2026-03-29', 1)]).toEqual([
      '2026-02-28',
      '2024-02-29',
      '2027-01-01',
      '2026-03-30',
    ]);
  });

  it.each([
    ['2026-03-01T18:20:00Z', 20_700, '2026-03-02'],
    ['2026-03-01T18:20:00Z', -86_400, '2026-02-28'],
    ['2026-12-31T10:00:00Z', 14 * 3_600, '2027-01-01'],
  ])('%s at %i s is %s', (instant, offset, day) => {
    expect(civilDayAt(Date.parse(instant), offset)).toBe(day);
  });

  it.each([
    ['2026-09-14T04:00:00+02:00', 7_200],
    ['2026-09-14T04:00:00.123Z', 0],
    ['2026-09-14T04:00:00-0330', -12_600],
    ['2026-09-14T04:00:00', undefined],
    ['2026-09-14', undefined],
    ['', undefined],
  ])('the offset of %s is %s', (text, expected) => {
    expect(offsetOfText(text)).toBe(expected);
  });

  it('a day closes a day after it has ended where the person was, else after it has ended everywhere', () => {
    const closed = (...args: Parameters<typeof closesAt>) => new Date(closesAt(...args)).toISOString();
    expect(closed('2026-09-14', 7_200, 0)).toBe('2026-09-15T22:00:00.000Z');
    expect(closed('2026-09-14', 7_200, 4)).toBe('2026-09-16T02:00:00.000Z');
    expect(closed('2026-09-14', undefined, 0)).toBe('2026-09-16T12:00:00.000Z');
  });
});

describe('ranges', () => {
  it.each([
    [0, 'plausible'],
    [60_000, 'plausible'],
    [60_001, 'implausible'],
    [200_000, 'implausible'],
    [200_001, 'impossible'],
    [-1, 'impossible'],
    [NaN, 'impossible'],
  ])('%d steps are %s', (value, expected) => {
    expect(rangeOf(dailyMetrics.steps, value)).toBe(expected);
  });
});

describe('versions', () => {
  it('go to text and back without losing a microsecond', () => {
    for (const text of ['2026-09-15T06:05:30.002001Z', '1969-12-31T23:59:59.999999Z', '2026-01-01T00:00:00.000000Z']) {
      expect(versionToText(versionFromText(text) as number)).toBe(text);
    }
  });
});

describe('canonical JSON', () => {
  it('is the same for the same content, whatever the order of keys', () => {
    expect(canonicalJson({ b: 1, a: [{ d: null, c: 'é' }], e: undefined })).toBe('{"a":[{"c":"é","d":null}],"b":1}');
    expect(canonicalJson({ a: [{ c: 'é', d: null }], b: 1 })).toBe(canonicalJson({ b: 1, a: [{ d: null, c: 'é' }] }));
  });
});
