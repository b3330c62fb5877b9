import { describe, expect, it } from '@jest/globals';
import { estimatedEnd } from './backfill-progress.js';

describe('the estimate of the end', () => {
  it('what is left takes as long as as much took before', () => {
    expect(estimatedEnd({ startedAt: 1_000, now: 11_000, done: 25, total: 100 })).toBe(41_000);
  });

  it.each([
    ['before anything was read', { done: 0, total: 100 }],
    ['when all is read', { done: 100, total: 100 }],
    ['of nothing', { done: 0, total: 0 }],
  ])('there is none %s', (_, days) => {
    expect(estimatedEnd({ startedAt: 1_000, now: 11_000, ...days })).toBeUndefined();
  });

  it('nor at the very moment of the beginning, or by a clock behind it', () => {
    expect(estimatedEnd({ startedAt: 1_000, now: 1_000, done: 5, total: 10 })).toBeUndefined();
    expect(estimatedEnd({ startedAt: 1_000, now: 900, done: 5, total: 10 })).toBeUndefined();
  });
});
