import { describe, expect, it } from '@jest/globals';
import { defaultScheduleS, nextAttemptAt } from './retry-schedule.js';

const now = 1_796_116_440_000;
const failed = { attempts: 1, scheduleS: undefined, askedToWaitMs: undefined, random: 0.5 };

describe('the retry schedule', () => {
  it('makes eight attempts over 33.6 hours', () => {
    expect(defaultScheduleS).toHaveLength(8);
    expect(defaultScheduleS.reduce<number>((sum, s) => sum + s, 0) / 3_600).toBeCloseTo(33.6, 1);
    let at = now;
    let tries = 1;
    for (let next = nextAttemptAt(failed, at); next !== undefined; next = nextAttemptAt({ ...failed, attempts: tries }, at)) {
      at = next;
      tries += 1;
    }
    expect(tries).toBe(8);
    expect((at - now) / 1_000).toBe(120_905);
  });

  it.each([
    [1, 5],
    [2, 300],
    [3, 1_800],
    [4, 7_200],
    [5, 18_000],
    [6, 36_000],
    [7, 57_600],
  ])('after attempt %i waits %i seconds, a tenth more or less', (attempts, seconds) => {
    const waits = [0, 0.25, 0.5, 0.75, 1].map((random) => (nextAttemptAt({ ...failed, attempts, random }, now) as number) - now);
    expect(waits).toEqual([0.9, 0.95, 1, 1.05, 1.1].map((part) => Math.round(seconds * 1_000 * part)));
  });

  it('gives up after the last attempt, even when a pause was asked for', () => {
    expect(nextAttemptAt({ ...failed, attempts: 8 }, now)).toBeUndefined();
    expect(nextAttemptAt({ ...failed, attempts: 9, askedToWaitMs: 1_000 }, now)).toBeUndefined();
  });

  it('gives an endpoint at least the pause it asks for, whatever the jitter', () => {
    for (const random of [0, 0.5, 1]) expect(nextAttemptAt({ ...failed, random, askedToWaitMs: 120_000 }, now)).toBe(now + 120_000);
  });

  it('waits for the schedule when it is longer than the pause asked for', () => {
    expect(nextAttemptAt({ ...failed, attempts: 2, askedToWaitMs: 1_000 }, now)).toBe(now + 300_000);
  });

  it('waits a day at most for an endpoint that asks for more', () => {
    expect(nextAttemptAt({ ...failed, askedToWaitMs: 90 * 86_400_000 }, now)).toBe(now + 86_400_000);
  });

  it("follows an endpoint's own schedule and its own number of attempts", () => {
    const own = { ...failed, scheduleS: [0, 1, 2] };
    expect(nextAttemptAt(own, now)).toBe(now + 1_000);
    expect(nextAttemptAt({ ...own, attempts: 2 }, now)).toBe(now + 2_000);
    expect(nextAttemptAt({ ...own, attempts: 3 }, now)).toBeUndefined();
  });

  it('a schedule of one attempt is never retried', () => {
    expect(nextAttemptAt({ ...failed, scheduleS: [0] }, now)).toBeUndefined();
  });
});
