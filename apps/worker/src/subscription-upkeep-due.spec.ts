import { describe, expect, it } from '@jest/globals';
import { nextCheckMs } from './subscription-upkeep-due.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-11-30T00:00:00Z');
const good = (expiresAt?: number) => nextCheckMs({ attempts: 0, expiresAt }, now, 0.5);
const failed = (attempts: number, random = 0.5) => nextCheckMs({ attempts, expiresAt: now + day }, now, random);

describe('the next check of an app’s subscriptions', () => {
  it('is a day away, and half way to an end that comes sooner than in two', () => {
    expect(good()).toBe(day);
    expect(good(now + 90 * day)).toBe(day);
    expect(good(now + 10 * hour)).toBe(5 * hour);
  });

  it('is never at once, whatever end is told', () => {
    for (const end of [now, now - day, now + 1]) expect(good(end)).toBe(minute);
  });

  it('comes after a minute when it failed, then three times later each time, up to six hours', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 40].map((n) => failed(n) / minute)).toEqual([1, 3, 9, 27, 81, 243, 360, 360]);
  });

  it('is spread by a fifth either way', () => {
    expect([failed(1, 0), failed(1, 1)]).toEqual([0.8 * minute, 1.2 * minute]);
    expect(nextCheckMs({ attempts: 0, expiresAt: undefined }, now, 0)).toBe(0.8 * day);
  });

  it('C017: has many tries before an end that is a fortnight away, though all but the last fail', () => {
    let at = 0;
    let tries = 0;
    for (; at < 14 * day; tries += 1) at += failed(tries + 1, 1);
    expect(tries).toBeGreaterThan(40);
  });
});
