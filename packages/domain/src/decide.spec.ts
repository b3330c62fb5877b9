import { describe, expect, it } from '@jest/globals';
import { NOON, MINUTE, HOUR, DAY, observed, pull, push, held, verdict, soonAfter } from '../testing/seen.js';
import { coalesceSettling, decide, withdraw } from './decide.js';
import { type HeldState, type Observation, freshnessOfPull } from './observation.js';

describe('rows of the decision table', () => {
  it('1 the same content: nobody is told, the later interval and the higher version stay', () => {
    const before = held(pull('a', 0, { v: 5 }));
    const decision = decide(before, pull('a', HOUR, { v: 9 }));
    expect(decision).toMatchObject({ do: 'keep', row: 1, settle: undefined });
    expect(decision.next).toMatchObject({ providerVersion: 9, version: 9, fresh: { from: NOON + HOUR }, contentHash: 'a' });
    const late = decide(decision.next, pull('a', MINUTE, { v: 7, normalizerVersion: 0 }));
    expect(late.next).toEqual(decision.next);
    // The later look says whose clock counts from now on.
    expect(decide(before, pull('a', HOUR)).next).toMatchObject({ providerVersion: undefined, clockDomain: undefined });
    expect(decide(before, push('a', undefined, NOON + HOUR)).next).toMatchObject({ providerVersion: 5, clockDomain: 'provider' });
    const otherClock = pull('a', HOUR, { v: 2, clockDomain: 'other' });
    expect(decide(before, otherClock).next).toMatchObject({ providerVersion: 2, clockDomain: 'other' });
    expect(decide(before, { ...otherClock, fresh: before.fresh }).next).toMatchObject({ providerVersion: 5, clockDomain: 'provider' });
    const gone = held(pull('a', 0), pull(undefined, HOUR));
    expect(verdict(gone, pull(undefined, 2 * HOUR))).toMatchObject({ do: 'keep', row: 1 });
  });

  it('1 of two intervals that begin together the one that ends later is the later', () => {
    const until = (minutes: number, coverageEnd?: number) =>
      observed('a', { coverageEnd, fresh: { from: NOON, to: NOON + minutes * MINUTE } });
    const before = held(until(5, NOON));
    expect(decide(before, until(9)).next).toMatchObject({ fresh: { to: NOON + 9 * MINUTE }, coverageEnd: NOON });
    expect(decide(before, until(2)).next).toMatchObject({ fresh: { to: NOON + 5 * MINUTE }, coverageEnd: NOON });
    expect(decide(held(until(5)), until(2, NOON)).next).toMatchObject({ coverageEnd: NOON });
    expect(decide(before, { ...until(1, NOON + 1), fresh: { from: NOON - 1, to: NOON + 99 * MINUTE } }).next).toMatchObject({
      fresh: before.fresh,
      coverageEnd: NOON + 1,
    });
  });

  it('2 a higher version of the same clock is taken, however it came', () => {
    const before = held(pull('a', HOUR, { v: 5 }));
    const decision = decide(before, pull('b', 0, { v: 6 }));
    expect(decision).toMatchObject({ do: 'write', row: 2, change: 'updated', next: { version: 6, inferred: false, contentHash: 'b' } });
    expect(verdict(before, push('b', undefined, NOON, { v: 6 }))).toMatchObject({ do: 'write', row: 2 });
    expect(verdict(before, pull(undefined, 0, { v: 6 }))).toMatchObject({ do: 'remove', row: 2 });
  });

  it('3 a lower version that is not newer is stale', () => {
    const before = held(pull('a', HOUR, { v: 5 }));
    for (const seen of [pull('b', 0, { v: 4 }), pull('b', HOUR, { v: 4 }), pull(undefined, HOUR, { v: 4 })]) {
      const decision = decide(before, seen);
      expect(decision).toMatchObject({ do: 'drop', why: 'stale', row: 3, settle: undefined });
      expect(decision.next).toBe(before);
    }
  });

  it('4 a lower version that is newer: seen again after ten minutes it is taken, in a new epoch', () => {
    const before = held(pull('a', 0, { v: 500 }));
    const first = decide(before, pull('b', HOUR, { v: 4 }));
    const again = NOON + HOUR + 1_000 + 10 * MINUTE;
    expect(first).toMatchObject({ do: 'confirm', why: 'regressed', row: 4, settle: { notBefore: again } });
    expect(decide(first.next, pull('b', HOUR + 5 * MINUTE, { v: 4 }))).toMatchObject({ do: 'confirm', settle: { notBefore: again } });
    expect(decide(first.next, pull('b', again - NOON - 1, { v: 4 })).do).toBe('confirm');
    expect(decide(first.next, pull('b', again - NOON, { v: 4 })).do).toBe('write');
    const taken = decide(first.next, pull('b', 2 * HOUR, { v: 4 }));
    expect(taken).toMatchObject({ do: 'write', row: 4, note: 'version_regressed' });
    expect(taken.next).toMatchObject({ providerVersion: 4, version: 501, inferred: true, versionEpoch: 1, unsettled: false });
    expect(decide(first.next, pull('a', 2 * HOUR, { v: 500 })).next).toMatchObject({ doubt: undefined, unsettled: false });
    // From a push the doubt is not even raised: a pull must look first.
    expect(decide(before, push('b', NOON + HOUR, NOON + 2 * HOUR, { v: 4 }))).toMatchObject({
      do: 'drop',
      why: 'to_be_settled',
      row: 4,
      settle: soonAfter(NOON + 2 * HOUR),
      next: { doubt: undefined, contentHash: 'a' },
    });
  });

  it('4 after the clock has run backwards, a high version of before is not taken for a new one', () => {
    const before = held(pull('a', 0, { v: 500 }), pull('b', HOUR, { v: 4 }), pull('b', 2 * HOUR, { v: 4 }));
    expect(before).toMatchObject({ contentHash: 'b', versionEpoch: 1 });
    expect(verdict(before, pull('a', 0, { v: 500 }))).toMatchObject({ do: 'drop', row: 3, settle: undefined });
    expect(verdict(before, push('a', NOON, NOON + 3 * HOUR, { v: 500 }))).toMatchObject({ do: 'drop', settle: soonAfter(NOON + 3 * HOUR) });
    expect(verdict(before, pull('c', 3 * HOUR, { v: 5 }))).toMatchObject({ do: 'write', row: 2 });
  });

  it('5 an equal version with other content, newer: taken, counted, marked as inferred', () => {
    const decision = decide(held(pull('a', 0, { v: 5 })), pull('b', HOUR, { v: 5 }));
    expect(decision).toMatchObject({
      do: 'write',
      row: 5,
      note: 'equal_version_conflict',
      next: { inferred: true, version: 6, providerVersion: 5 },
    });
  });

  it('6 an equal version with other content, not newer: older is dropped, unordered is kept out until a pull has looked', () => {
    const before = held(pull('a', HOUR, { v: 5 }));
    expect(verdict(before, pull('b', 0, { v: 5 }))).toEqual({ do: 'drop', row: 6, settle: undefined });
    const unordered = push('b', NOON, NOON + 2 * HOUR, { v: 5 });
    expect(decide(before, unordered)).toMatchObject({
      do: 'drop',
      why: 'unordered',
      row: 6,
      settle: soonAfter(NOON + 2 * HOUR),
      next: { contentHash: 'a', unsettled: true },
    });
  });

  it('7 without versions the newer read is taken, if it reaches as far', () => {
    const before = held(pull('a', 0, { coverageEnd: NOON - HOUR }));
    const decision = decide(before, pull('b', HOUR, { coverageEnd: NOON - HOUR }));
    expect(decision).toMatchObject({
      do: 'write',
      row: 7,
      change: 'updated',
      settle: undefined,
      next: { inferred: true, version: (NOON + HOUR) * 1_000 },
    });
    expect(verdict(before, pull(undefined, HOUR))).toMatchObject({ do: 'remove', row: 7 });
  });

  it('8 without versions the older read is dropped', () => {
    const before = held(pull('a', HOUR));
    expect(verdict(before, pull('b', 0))).toEqual({ do: 'drop', row: 8, settle: undefined });
    expect(verdict(before, pull(undefined, 0))).toEqual({ do: 'drop', row: 8, settle: undefined });
  });

  it('9 without versions and without an order: what reaches further wins, then what came later, until a pull has looked', () => {
    const before = held(push('a', NOON, NOON + HOUR));
    const further = decide(before, push('b', NOON + MINUTE, NOON + 30 * MINUTE));
    expect(further).toMatchObject({ do: 'write', row: 9, settle: soonAfter(NOON + HOUR), next: { contentHash: 'b', unsettled: true } });
    expect(decide(before, push('b', NOON - MINUTE, NOON + 2 * HOUR))).toMatchObject({
      do: 'drop',
      row: 9,
      why: 'unordered',
      next: { contentHash: 'a', unsettled: true },
    });
    expect(verdict(before, push('b', NOON, NOON + 2 * HOUR))).toMatchObject({ do: 'write', row: 9 });
    expect(verdict(before, push('b', NOON, NOON + 30 * MINUTE))).toMatchObject({ do: 'drop', row: 9 });
    expect(verdict(before, push('b', NOON, NOON + HOUR))).toMatchObject({ do: 'drop', row: 9 });
    expect(verdict(before, push(undefined, undefined, NOON + 2 * HOUR))).toMatchObject({ do: 'drop', row: 9 });
    // Neither a push that is newer nor a pull that overlaps settles it.
    expect(decide(further.next, push('b', NOON + 2 * HOUR, NOON + 2 * HOUR)).next).toMatchObject({ unsettled: true });
    expect(decide(further.next, pull('b', 20 * MINUTE)).next).toMatchObject({ unsettled: true });
    expect(decide(further.next, pull('c', 2 * HOUR, { coverageEnd: NOON + 2 * HOUR })).next).toMatchObject({
      contentHash: 'c',
      unsettled: false,
    });
  });

  it('10 a newer read that reaches less far: seen twice it is taken', () => {
    const before = held(pull('a', 0, { coverageEnd: NOON - HOUR }));
    const less = { coverageEnd: NOON - 2 * HOUR };
    const first = decide(before, pull('b', HOUR, less));
    expect(first).toMatchObject({ do: 'confirm', why: 'shrunk', row: 10, settle: { notBefore: NOON + HOUR + 1_000 + MINUTE } });
    expect(first.next).toMatchObject({ contentHash: 'a', unsettled: true });
    expect(verdict(first.next, pull('b', 2 * HOUR, less))).toMatchObject({ do: 'write', row: 10 });
    expect(verdict(first.next, pull('b', HOUR, less))).toMatchObject({ do: 'confirm' });
    expect(verdict(first.next, pull('c', 2 * HOUR, less))).toMatchObject({ do: 'confirm' });
    expect(decide(first.next, pull('a', 2 * HOUR, { coverageEnd: NOON - HOUR })).next).toMatchObject({
      doubt: undefined,
      unsettled: false,
    });
    expect(verdict(before, push('b', NOON - 2 * HOUR, NOON + HOUR, { fresh: { from: NOON + HOUR, to: NOON + HOUR } }))).toMatchObject({
      do: 'drop',
      row: 10,
      settle: soonAfter(NOON + HOUR),
    });
    // Nothing reaches nowhere, and is no shrinking.
    expect(verdict(before, pull(undefined, HOUR, less))).toMatchObject({ do: 'remove', row: 7 });
    // A read that missed pages shows less, and proves nothing.
    expect(verdict(before, pull('b', HOUR, { ...less, complete: false }))).toMatchObject({ do: 'drop', row: 10 });
  });

  it('11 versions of two clocks are not compared: the newer interval wins and its clock is taken over', () => {
    const before = held(pull('a', HOUR));
    const decision = decide(before, pull('b', 2 * HOUR, { v: 7 }));
    expect(decision).toMatchObject({
      do: 'write',
      row: 11,
      note: 'clock_domain_changed',
      next: { providerVersion: 7, clockDomain: 'provider' },
    });
    // The statement's gate only lets a higher version through, so it gets one of ours.
    expect(decision.next).toMatchObject({ version: before.version + 1, inferred: true });
    expect(verdict(before, pull('b', 0, { v: 7 }))).toEqual({ do: 'drop', row: 11, settle: undefined });
    expect(verdict(before, push('b', NOON, NOON + 2 * HOUR, { v: 7 }))).toMatchObject({
      do: 'drop',
      row: 11,
      settle: soonAfter(NOON + 2 * HOUR),
    });
    // With another clock, what the old one did is forgotten.
    const other = held(
      pull('a', 0, { v: 500 }),
      pull('b', HOUR, { v: 4 }),
      pull('b', 2 * HOUR, { v: 4 }),
      pull('c', 3 * HOUR, { v: 7, clockDomain: 'y' }),
    );
    expect(verdict(other, pull('d', 0, { v: 8, clockDomain: 'y' }))).toMatchObject({ do: 'write', row: 2 });
    const onePhone = held(pull('a', 0, { v: 900, clockDomain: 'phone-1' }));
    expect(verdict(onePhone, pull('b', HOUR, { v: 3, clockDomain: 'phone-2' }))).toMatchObject({ do: 'write', row: 11 });
  });

  it('12 what was deleted comes back by a higher version, or when it was seen twice', () => {
    const explicit = held(pull('a', 0, { v: 5 }), pull(undefined, HOUR, { v: 6 }));
    expect(decide(explicit, pull('a', 0, { v: 7 }))).toMatchObject({ do: 'write', row: 12, change: 'restored', next: { deleted: false } });
    const before = held(pull('a', 0), pull(undefined, HOUR));
    const first = decide(before, pull('a', 2 * HOUR));
    expect(first).toMatchObject({ do: 'confirm', why: 'revived', row: 12, next: { deleted: true } });
    expect(decide(first.next, pull('a', 3 * HOUR))).toMatchObject({ do: 'write', row: 12, change: 'restored', next: { deleted: false } });
    expect(verdict(first.next, pull(undefined, 3 * HOUR))).toMatchObject({ do: 'keep', row: 1, settle: undefined });
    expect(verdict(before, push('a', NOON + 2 * HOUR, NOON + 2 * HOUR))).toMatchObject({ do: 'drop', row: 12 });
  });

  it('13 a late retry does not bring back what was deleted', () => {
    const before = held(pull('a', 0), pull(undefined, HOUR));
    for (const seen of [pull('a', 0), push('a', NOON - HOUR, NOON + 2 * HOUR), push('b', undefined, NOON + 2 * HOUR)]) {
      const decision = decide(before, seen);
      expect(decision).toMatchObject({ do: 'drop', row: 13, next: { deleted: true } });
      expect(decision.settle?.notBefore).toBeGreaterThan(seen.ingestedAt);
    }
  });

  it('14 the same input read by a newer normaliser: taken, and told as that', () => {
    const before = held(pull('a', HOUR, { inputHash: 'in', v: 5 }));
    const stored = pull('b', 0, { inputHash: 'in', v: 5, normalizerVersion: 2 });
    expect(decide(before, stored)).toMatchObject({
      do: 'write',
      change: 'renormalized',
      row: 14,
      next: { normalizerVersion: 2, fresh: before.fresh },
    });
    expect(decide(held(stored), pull('a', HOUR, { inputHash: 'in', v: 5 }))).toMatchObject({ do: 'drop', why: 'old_normalizer', row: 14 });
    // Other input is a change of the provider, whoever reads it.
    expect(verdict(before, pull('b', 2 * HOUR, { inputHash: 'other', v: 6, normalizerVersion: 2 }))).toMatchObject({ do: 'write', row: 2 });
  });

  it.each([['equal versions', 5] as const, ['no versions', undefined] as const])(
    '15 to and fro within a day by %s: held, until it rests',
    (_name, v) => {
      const flips = ['a', 'b', 'a'].map((content, hour) => pull(content, hour * HOUR, v === undefined ? {} : { v }));
      const before = held(...flips);
      expect(before.contentHash).toBe('a');
      const next = (hours: number) => decide(before, pull('b', hours * HOUR, v === undefined ? {} : { v }));
      const rests = (flips[0] as Observation).ingestedAt + DAY;
      expect(next(3)).toMatchObject({ do: 'hold', row: 15, settle: { notBefore: rests }, next: { contentHash: 'a', unsettled: true } });
      expect(next(25)).toMatchObject({ do: 'write' });
      expect(decide(before, observed('b', { ...(v === undefined ? {} : { v }), fresh: freshnessOfPull(rests - 1_000, rests) })).do).toBe(
        'write',
      );
      expect(
        decide(before, observed('b', { ...(v === undefined ? {} : { v }), fresh: freshnessOfPull(rests - 1_001, rests - 1) })).do,
      ).toBe('hold');
      expect(verdict(before, pull('c', 3 * HOUR, v === undefined ? {} : { v }))).toMatchObject({ do: 'write' });
      expect(verdict(before, pull('b', 3 * HOUR, { v: 6 }))).toMatchObject({ do: 'write' });
    },
  );

  it('15 versions that rise tell to and fro apart', () => {
    const before = held(pull('a', 0, { v: 1 }), pull('b', HOUR, { v: 2 }), pull('a', 2 * HOUR, { v: 3 }));
    expect(verdict(before, pull('b', 3 * HOUR, { v: 3 }))).toMatchObject({ do: 'write', row: 5 });
  });

  it('15 does not hold back what was pushed: no later look would let it go', () => {
    const told = (content: string, hour: number) =>
      observed(content, { via: 'push', fresh: { from: NOON + hour * HOUR, to: NOON + hour * HOUR } });
    const before = held(...['a', 'b', 'a'].map(told));
    expect(verdict(before, told('b', 3))).toMatchObject({ do: 'write', row: 7 });
    expect(verdict(before, pull('b', 3 * HOUR))).toMatchObject({ do: 'hold', row: 15 });
  });

  it('15 does not hold back a deletion', () => {
    const before = held(pull('a', 0), pull(undefined, HOUR), pull('a', 2 * HOUR), pull('a', 3 * HOUR));
    expect(before).toMatchObject({ deleted: false, contentHash: 'a' });
    expect(verdict(before, pull(undefined, 4 * HOUR))).toMatchObject({ do: 'remove', row: 7 });
  });

  it('16 an impossible value is put aside, and what we hold stays', () => {
    const before = held(pull('a', 0, { v: 5 }));
    const decision = decide(before, pull('b', HOUR, { v: 6, impossible: true }));
    expect(decision).toMatchObject({ do: 'quarantine', row: 16 });
    expect(decision.next).toBe(before);
    expect(decide(undefined, pull('b', HOUR, { impossible: true })).next).toBeUndefined();
  });

  it('a read that missed pages never shows that something is gone', () => {
    const before = held(pull('a', 0));
    expect(decide(before, pull(undefined, HOUR, { complete: false }))).toMatchObject({ do: 'drop', why: 'incomplete', next: before });
  });

  it('a delete of what we never had changes nothing', () => {
    expect(decide(undefined, push(undefined, undefined, NOON))).toEqual({ do: 'keep', row: 0, next: undefined, settle: undefined });
  });
});

describe('what we take back ourselves', () => {
  const taken = { fresh: freshnessOfPull(NOON + HOUR, NOON + HOUR + 1_000), ingestedAt: NOON + HOUR + 1_000 };

  it('goes at once, whatever version the provider gave it, and is told', () => {
    const before = held(pull('a', 0, { v: (NOON + DAY) * 1_000 }));
    const decision = withdraw(before, taken);
    expect(decision).toMatchObject({
      do: 'remove',
      row: 0,
      next: { deleted: true, withdrawn: true, inferred: true, version: before.version + 1 },
    });
    expect(withdraw(decision.next as HeldState, taken)).toMatchObject({ do: 'keep' });
  });

  it('comes back with the next look that is newer, and not with an older one', () => {
    const gone = withdraw(held(pull('a', 0)), taken).next as HeldState;
    expect(decide(gone, pull('a', 2 * HOUR))).toMatchObject({
      do: 'write',
      row: 12,
      change: 'restored',
      next: { deleted: false, withdrawn: false },
    });
    expect(verdict(gone, pull('a', 0))).toMatchObject({ do: 'drop', row: 13 });
  });
});

describe('wishes for a settling pull', () => {
  it('one pull serves all, the earliest', () => {
    expect(coalesceSettling([undefined, { notBefore: 9 }, { notBefore: 4 }, undefined])).toEqual({ notBefore: 4 });
    expect(coalesceSettling([undefined])).toBeUndefined();
  });
});
