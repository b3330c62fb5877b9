import { describe, expect, it } from '@jest/globals';
import { Windows } from './windows.js';

describe('windows of requests', () => {
  it('begin with the first of a name, count to their end, and begin anew', () => {
    const windows = new Windows(60_000);
    expect(windows.count('a', 1_000)).toEqual({ count: 1, leftMs: 60_000 });
    expect(windows.count('a', 31_000)).toEqual({ count: 2, leftMs: 30_000 });
    expect(windows.count('b', 31_000)).toEqual({ count: 1, leftMs: 60_000 });
    expect(windows.count('a', 60_999)).toEqual({ count: 3, leftMs: 1 });
    expect(windows.count('a', 61_000)).toEqual({ count: 1, leftMs: 60_000 });
  });

  it('do not last for ever when the clock is set back', () => {
    const windows = new Windows(60_000);
    windows.count('a', 10_000_000);
    expect(windows.count('a', 1_000)).toEqual({ count: 1, leftMs: 60_000 });
  });

  it('of names that are gone are forgotten, others are not', () => {
    const windows = new Windows(60_000);
    for (let n = 0; n < 20_000; n += 1) windows.count(`early${n}`, 1_000);
    windows.count('stays', 50_000);
    for (let n = 0; n < 20_000; n += 1) windows.count(`late${n}`, 70_000);
    expect(windows.size).toBe(20_001);
    expect(windows.count('stays', 70_000).count).toBe(2);
  });
});
