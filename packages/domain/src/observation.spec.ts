import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareFreshness, freshnessOfPull, freshnessOfPush } from './observation.js';

const at = (clock: string): number => Date.parse(`2026-09-15T${clock}Z`);

describe('freshness', () => {
  it('a read shows a state of some time between its request and its answer', () => {
    expect(freshnessOfPull(at('10:00:00'), at('10:00:40'))).toEqual({ from: at('10:00:00'), to: at('10:00:40') });
    expect(freshnessOfPull(at('10:00:00'), at('09:59:59'))).toEqual({ from: at('10:00:00'), to: at('10:00:00') });
  });

  it('a push with a signed time may be a minute older than it says, and is never newer than its arrival', () => {
    expect(freshnessOfPush(at('10:00:00'), at('09:00:00'), at('10:05:00'))).toEqual({ from: at('09:59:00'), to: at('10:05:00') });
    expect(freshnessOfPush(at('11:00:00'), undefined, at('10:05:00'))).toEqual({ from: at('10:05:00'), to: at('10:05:00') });
    expect(freshnessOfPush(undefined, undefined, at('10:05:00'))).toEqual({ from: 0, to: at('10:05:00') });
  });

  it('of two that touch neither is the newer', () => {
    expect([compareFreshness({ from: 5, to: 9 }, { from: 1, to: 5 }), compareFreshness({ from: 1, to: 5 }, { from: 5, to: 9 })]).toEqual([
      'unordered',
      'unordered',
    ]);
    expect([compareFreshness({ from: 6, to: 9 }, { from: 1, to: 5 }), compareFreshness({ from: 1, to: 4 }, { from: 5, to: 9 })]).toEqual([
      'newer',
      'older',
    ]);
  });

  it('is an order: what is newer than something newer is newer', () => {
    const interval = fc.tuple(fc.nat(20), fc.nat(5)).map(([from, length]) => ({ from, to: from + length }));
    fc.assert(
      fc.property(interval, interval, interval, (a, b, c) => {
        if (compareFreshness(a, b) === 'newer' && compareFreshness(b, c) === 'newer') expect(compareFreshness(a, c)).toBe('newer');
        if (compareFreshness(a, b) === 'newer') expect(compareFreshness(b, a)).toBe('older');
      }),
    );
  });
});
