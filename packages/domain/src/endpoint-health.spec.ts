import { describe, expect, it } from '@jest/globals';
import { disabledFrom, failedForLong, failedTooLong, healthChange } from './endpoint-health.js';

const now = 1_796_116_440_000;
const hours = (n: number) => n * 3_600_000;
const days = (n: number) => hours(24 * n);

describe('failedTooLong', () => {
  const dead = { failingSince: now - days(2), consecutiveFailures: 20, lastSuccessAt: now - days(5) };

  it('holds after 5 days without a success and 20 failures over a day', () => {
    expect(failedTooLong(dead, now)).toBe(true);
  });

  it.each([
    ['a moment less than 5 days', { ...dead, lastSuccessAt: now - days(5) + 1 }],
    ['19 failures', { ...dead, consecutiveFailures: 19 }],
    ['failures in less than a day, after a quiet week', { ...dead, failingSince: now - hours(24) + 1, lastSuccessAt: now - days(9) }],
    ['no failure since the last success', { ...dead, failingSince: undefined, consecutiveFailures: 0 }],
  ])('does not hold with %s', (_name, health) => {
    expect(failedTooLong(health, now)).toBe(false);
  });

  it('counts the 5 days from the first failure when nothing ever succeeded', () => {
    const never = { ...dead, lastSuccessAt: undefined };
    expect(failedTooLong({ ...never, failingSince: now - days(5) + 1 }, now)).toBe(false);
    expect(failedTooLong({ ...never, failingSince: now - days(5) }, now)).toBe(true);
  });
});

describe('failedForLong', () => {
  const failing = { failingSince: now - days(1), consecutiveFailures: 10, lastSuccessAt: now - days(2.5) };

  it('holds half way: 2.5 days without a success and 10 failures over half a day', () => {
    expect(failedForLong(failing, now)).toBe(true);
    expect(failedTooLong(failing, now)).toBe(false);
  });

  it.each([
    ['a moment less than 2.5 days', { ...failing, lastSuccessAt: now - days(2.5) + 1 }],
    ['9 failures', { ...failing, consecutiveFailures: 9 }],
    ['failures in less than half a day', { ...failing, failingSince: now - hours(12) + 1 }],
    ['no failure since the last success', { ...failing, failingSince: undefined, consecutiveFailures: 0 }],
  ])('does not hold with %s', (_name, health) => {
    expect(failedForLong(health, now)).toBe(false);
  });

  it.each([
    ['five days after the last success', { ...failing, lastSuccessAt: now - days(2.5) }, now + days(2.5)],
    ['five days after the first failure, when nothing ever succeeded', { ...failing, lastSuccessAt: undefined }, now + days(4)],
    ['a day after the first failure, after a quiet week', { ...failing, failingSince: now, lastSuccessAt: now - days(9) }, now + days(1)],
    ['never, while it is well', { ...failing, failingSince: undefined }, undefined],
  ])('it would be disabled %s', (_name, health, at) => {
    expect(disabledFrom(health)).toBe(at);
    if (at === undefined) return;
    expect(failedTooLong({ ...health, consecutiveFailures: 20 }, at)).toBe(true);
    expect(failedTooLong({ ...health, consecutiveFailures: 20 }, at - 1)).toBe(false);
  });
});

describe('healthChange', () => {
  const ok = (endedAt: number) => ({ endedAt, delivered: true });
  const bad = (endedAt: number) => ({ endedAt, delivered: false });

  it('adds only failures when nothing succeeded', () => {
    expect(healthChange([bad(1), bad(2)])).toEqual({ lastSuccessAt: undefined, firstFailureAt: 1, failures: 2 });
  });
  it('counts the failures after the newest success only', () => {
    expect(healthChange([bad(1), ok(2), bad(3), ok(4), bad(5), bad(6)])).toEqual({ lastSuccessAt: 4, firstFailureAt: 5, failures: 2 });
  });
  it('clears a failing endpoint when the last attempt succeeded', () => {
    expect(healthChange([bad(1), ok(2)])).toEqual({ lastSuccessAt: 2, firstFailureAt: undefined, failures: 0 });
  });
  it('changes nothing when nothing was tried', () => {
    expect(healthChange([])).toEqual({ lastSuccessAt: undefined, firstFailureAt: undefined, failures: 0 });
  });
});
