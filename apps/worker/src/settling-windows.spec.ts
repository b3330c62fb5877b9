import { describe, expect, it } from '@jest/globals';
import type { WindowKey } from '@tributary/storage';
import { settlingWindows } from './settling-windows.js';

const NOW = 1_000_000;
const key = { tenantId: 'ten', environment: 'live', connectionId: 'con', collection: 'sleep' } as const;
const window = (windowKind: WindowKey['windowKind'], windowStart: string, windowEnd: string): WindowKey => ({
  ...key,
  windowKind,
  windowStart,
  windowEnd,
});
const week = window('days', '2026-09-01', '2026-09-08');
const wish = (localDate: string, notBefore: number) => ({ localDate, notBefore });

describe('where doubts are answered', () => {
  it('those of an object by one read of it, the earliest that helps any of them', () => {
    const wishes = [wish('2026-09-03', NOW + 9_000), wish('2026-09-04', NOW + 5_000)];
    for (const one of [window('object', 'a', 'a'), window('whole', '', ''), window('days', '2026-09-03', '2026-09-04')]) {
      expect(settlingWindows(one, wishes, NOW)).toEqual({ again: NOW + 5_000, days: [] });
    }
  });

  it('those of many days by one read of each day, and what is filed outside of them by a read of all', () => {
    const wishes = [
      wish('2026-09-03', NOW + 9_000),
      wish('2026-09-01', NOW + 8_000),
      wish('2026-09-03', NOW + 7_000),
      wish('2026-09-08', NOW + 60_000),
    ];
    expect(settlingWindows(week, wishes, NOW)).toEqual({
      again: NOW + 60_000,
      days: [
        { window: { ...key, windowKind: 'days', windowStart: '2026-09-01', windowEnd: '2026-09-02' }, notBefore: NOW + 8_000 },
        { window: { ...key, windowKind: 'days', windowStart: '2026-09-03', windowEnd: '2026-09-04' }, notBefore: NOW + 7_000 },
      ],
    });
  });

  it('never in a circle that turns without a pause', () => {
    expect(settlingWindows(window('object', 'a', 'a'), [wish('2026-09-03', NOW + 1)], NOW)).toEqual({ again: NOW + 1_000, days: [] });
    expect(settlingWindows(week, [wish('2026-09-03', NOW - 5)], NOW).days).toMatchObject([{ notBefore: NOW + 1_000 }]);
  });

  it('none when there is none', () => {
    expect(settlingWindows(week, [], NOW)).toEqual({ again: undefined, days: [] });
  });
});
