import { describe, expect, it } from '@jest/globals';
import { derivedRecordId, isSameSession, overlapOf, rekey } from './rekey.js';

const key = (localDate: string, sourceId = 'src_1') => ({ metric: 'steps', localDate, sourceId });
const night = (start: string, end: string, sourceId = 'src_1') => ({ sourceId, start: Date.parse(start), end: Date.parse(end) });

describe('a daily value that moves', () => {
  it('is a tombstone of the old key and a value of the new one, each naming the other', () => {
    expect(rekey(key('2026-07-14'), key('2026-07-15'))).toEqual({
      remove: { key: key('2026-07-14'), reason: 'rekeyed', supersededBy: key('2026-07-15') },
      upsert: { key: key('2026-07-15'), supersedes: key('2026-07-14') },
    });
    expect(rekey(key('2026-07-14', 'src_1'), key('2026-07-14', 'src_2'))).toBeDefined();
  });

  it('and one that stays is none', () => {
    expect(rekey(key('2026-07-14'), key('2026-07-14'))).toBeUndefined();
  });
});

describe('sessions without lasting ids', () => {
  const first = night('2026-09-14T22:30:20Z', '2026-09-15T06:00:00Z');

  it('are named by their source and the minute they began in', () => {
    expect(derivedRecordId(first)).toBe('src_1@2026-09-14T22:30Z');
    expect(derivedRecordId({ ...first, start: first.start + 5_000 })).toBe(derivedRecordId(first));
    expect(derivedRecordId({ ...first, sourceId: 'src_2' })).not.toBe(derivedRecordId(first));
  });

  it.each([
    ['grew after another sync', night('2026-09-14T22:30:20Z', '2026-09-15T07:10:00Z'), true],
    ['was cut at the start', night('2026-09-15T01:00:00Z', '2026-09-15T06:00:00Z'), true],
    ['is half of both and no more', night('2026-09-15T05:00:00Z', '2026-09-15T07:00:00Z'), false],
    ['follows it', night('2026-09-15T06:00:00Z', '2026-09-15T07:00:00Z'), false],
    ['is of another source', night('2026-09-14T22:30:20Z', '2026-09-15T06:00:00Z', 'src_2'), false],
  ])('one that %s is the same: %#', (_name, other, same) => {
    expect([isSameSession(first, other), isSameSession(other, first)]).toEqual([same, same]);
  });

  it('share nothing when they are apart, all when one is in the other, however short', () => {
    const moment = { start: first.start, end: first.start };
    expect([overlapOf(first, moment), overlapOf(moment, moment), overlapOf(moment, { start: 0, end: 0 })]).toEqual([1, 1, 0]);
    expect([overlapOf({ start: 5, end: 9 }, { start: 8, end: 30 }), overlapOf({ start: 8, end: 30 }, { start: 5, end: 9 })]).toEqual([
      0.25, 0.25,
    ]);
    expect(overlapOf({ start: 0, end: 10 }, { start: 20, end: 30 })).toBe(0);
  });
});
