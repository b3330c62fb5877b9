import { describe, expect, it } from '@jest/globals';
import { ABSENCE_APART_MS, type HeldOfWindow, type WindowRead, absencesOf, fuse } from './absence.js';

const NOON = Date.parse('2026-09-15T12:00:00Z');
const rows = (count: number, dayClosed = true): HeldOfWindow[] => Array.from({ length: count }, (_, n) => ({ key: `row ${n}`, dayClosed }));
const read = (keys: readonly string[], rest: Partial<WindowRead> = {}): WindowRead => ({
  sentAt: NOON,
  status: 200,
  allPages: true,
  authoritative: true,
  scopes: ['activity', 'sleep'],
  normalizerVersion: 3,
  keys: new Set(keys),
  ...rest,
});
const dayBefore = (keys: readonly string[], rest: Partial<WindowRead> = {}) => read(keys, { sentAt: NOON - ABSENCE_APART_MS, ...rest });
const others = ['row 1', 'row 2'];

describe('absence', () => {
  it('of a row in two whole reads a day apart is its end', () => {
    expect(absencesOf(rows(3), read(others), dayBefore(others))).toEqual({
      gone: ['row 0'],
      missing: ['row 0'],
      noProof: undefined,
    });
  });

  it.each([
    ['not_ok', read(others, { status: 206 }), dayBefore(others)],
    ['pages_missing', read(others, { allPages: false }), dayBefore(others)],
    ['not_authoritative', read(others, { authoritative: false }), dayBefore(others)],
    ['no_earlier_read', read(others), undefined],
    ['no_earlier_read', read(others), dayBefore(others, { status: 500 })],
    ['no_earlier_read', read(others), dayBefore(others, { allPages: false })],
    ['no_earlier_read', read(others), dayBefore(others, { authoritative: false })],
    ['scopes_changed', read(others, { scopes: ['activity'] }), dayBefore(others)],
    ['scopes_changed', read(others), dayBefore(others, { scopes: ['activity', 'heart'] })],
    ['normalizer_changed', read(others, { normalizerVersion: 4 }), dayBefore(others)],
    ['too_soon', read(others, { sentAt: NOON - 1 }), dayBefore(others)],
  ] as const)('proves nothing: %s (%#)', (noProof, now, earlier) => {
    expect(absencesOf(rows(3), now, earlier)).toEqual({ gone: [], missing: ['row 0'], noProof });
  });

  it('scopes are the same in any order', () => {
    expect(absencesOf(rows(3), read(others, { scopes: ['sleep', 'activity'] }), dayBefore(others)).gone).toEqual(['row 0']);
  });

  it('of a row whose day is open is nothing yet', () => {
    expect(absencesOf(rows(3, false), read(others), dayBefore(others))).toMatchObject({ gone: [], missing: ['row 0'] });
  });

  it('counts only where both reads lack the row', () => {
    expect(absencesOf(rows(3), read(others), dayBefore(['row 0', ...others]))).toMatchObject({ gone: [], missing: ['row 0'] });
    expect(absencesOf(rows(3), read(['row 0', ...others]), dayBefore(others))).toMatchObject({ gone: [], missing: [] });
  });

  it.each([
    ['four of four: few enough to be a wish', 4, 4, 4],
    ['five of five', 5, 5, 0],
    ['nineteen of a hundred', 19, 100, 19],
    ['twenty of a hundred', 20, 100, 0],
    ['five of twenty-four: above a fifth', 5, 24, 0],
    ['five of twenty-six: below a fifth', 5, 26, 5],
  ])('of many at once blows the fuse: %s', (_name, vanished, of, gone) => {
    const window = absencesOf(rows(vanished), read([]), dayBefore([]));
    expect(window.gone).toHaveLength(vanished);
    expect(fuse([window], of)).toEqual({
      gone: gone === 0 ? [] : window.gone,
      blown: gone === 0 ? { vanished, of } : undefined,
    });
  });

  it('blows for the run, not for each window', () => {
    const windows = rows(6).map(({ key }) => absencesOf([{ key, dayClosed: true }], read([]), dayBefore([])));
    expect(fuse(windows, 30)).toEqual({ gone: [], blown: { vanished: 6, of: 30 } });
    expect(fuse(windows, 31).gone).toHaveLength(6);
    expect(fuse([...windows, ...windows], 31).gone).toHaveLength(6);
  });
});
