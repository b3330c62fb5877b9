import { describe, expect, it } from '@jest/globals';
import { NOON, MINUTE, HOUR, at, observed, pull, push, held, verdict, soonAfter } from '../testing/seen.js';
import { decide } from './decide.js';
import { compareFreshness, freshnessOfPull } from './observation.js';

describe('pushes of a provider that cannot be asked', () => {
  it('settle what was in doubt, when they are newer', () => {
    const whole = { complete: true };
    const before = held(push('a', NOON, NOON + HOUR, whole), push('b', NOON, NOON + HOUR + 1, whole));
    expect(before).toMatchObject({ contentHash: 'b', unsettled: true });
    expect(decide(before, push('c', NOON + 2 * HOUR, NOON + 2 * HOUR, whole))).toMatchObject({
      do: 'write',
      row: 7,
      settle: undefined,
      next: { unsettled: false, via: 'push' },
    });
  });
});

describe('worked cases', () => {
  it('(a) a retry of 7 000 steps that comes after 9 000 loses, and a pull settles', () => {
    const before = held(push('9000', at('18:00:00'), at('18:05:00')));
    const decision = decide(before, push('7000', at('15:00:00'), at('19:00:00')));
    expect(decision).toMatchObject({ do: 'drop', row: 9, next: { contentHash: '9000' } });
    expect(decision.settle?.notBefore).toBe(at('19:00:00') + 1);
  });

  it('(b) a late worker that writes an earlier version of a sleep is dropped', () => {
    const before = held(observed('07:02', { v: 702, fresh: freshnessOfPull(at('07:03:00'), at('07:03:01')) }));
    const late = observed('06:58', { v: 658, fresh: freshnessOfPull(at('06:59:00'), at('07:05:00')) });
    expect(verdict(before, late)).toMatchObject({ do: 'drop', row: 3 });
  });

  it('(c) a weight that was edited twice in one second is taken', () => {
    expect(verdict(held(pull('71.2', 0, { v: 5_000_000 })), pull('71.3', MINUTE, { v: 5_000_000 }))).toMatchObject({ do: 'write', row: 5 });
  });

  it('(d) a deleted walk: fewer steps, taken after the second pull', () => {
    const before = held(push('8000', at('18:40:00'), at('18:45:00')));
    const seen = (clock: string) => observed('6200', { coverageEnd: at('17:30:00'), fresh: freshnessOfPull(at(clock), at(clock) + 500) });
    const first = decide(before, seen('20:10:00'));
    expect(first).toMatchObject({ do: 'confirm', row: 10, next: { contentHash: '8000' } });
    expect(decide(first.next, seen('20:12:00'))).toMatchObject({ do: 'write', row: 10, next: { contentHash: '6200', unsettled: false } });
  });

  it('(e) an edit without a version: the pull after it is newer', () => {
    const before = held(observed('old', { fresh: freshnessOfPull(at('08:00:00'), at('08:00:01')) }));
    expect(verdict(before, observed('new', { fresh: freshnessOfPull(at('10:00:01'), at('10:00:02')) }))).toMatchObject({
      do: 'write',
      row: 7,
    });
  });

  it('(f) two pulls that overlap have no order: that is what the lease is for', () => {
    const slow = freshnessOfPull(at('12:00:00'), at('12:00:40'));
    const quick = freshnessOfPull(at('12:00:10'), at('12:00:11'));
    expect([compareFreshness(quick, slow), compareFreshness(slow, quick)]).toEqual(['unordered', 'unordered']);
    expect(verdict(held(observed('quick', { fresh: quick })), observed('slow', { fresh: slow }))).toMatchObject({
      do: 'drop',
      row: 9,
      settle: soonAfter(at('12:00:40')),
    });
    expect(verdict(held(observed('slow', { fresh: slow })), observed('quick', { fresh: quick }))).toMatchObject({
      do: 'write',
      row: 9,
      settle: soonAfter(at('12:00:40')),
    });
  });
});
