import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Bucket,
  type CallClass,
  type Quota,
  givenBack,
  learned,
  mostAtOnce,
  refilled,
  refused,
  retryAtOf,
  spacingMs,
  takeCalls,
} from './token-bucket.js';

const NOW = Date.parse('2026-09-15T12:00:00Z');
const steady = (rest: Partial<Bucket> = {}): Bucket => ({
  capacity: 100,
  tokens: 100,
  refill: { is: 'steady', perS: 1 },
  at: NOW,
  pausedUntil: undefined,
  reserved: 0.3,
  ...rest,
});
/** A hundred calls in each quarter of an hour. */
const quarters = (rest: Partial<Bucket> = {}): Bucket =>
  steady({ refill: { is: 'window', lengthMs: 900_000, resetsAt: NOW + 300_000 }, ...rest });
const ask = (calls: number, kind: CallClass = 'live') => ({ calls, kind });
const said = (quota: Partial<Quota>): Quota => ({
  limit: undefined,
  remaining: undefined,
  resetsAt: undefined,
  windowMs: undefined,
  ...quota,
});
const tokensOf = (buckets: readonly Bucket[]) => buckets.map(({ tokens }) => tokens);

describe('a bucket of calls', () => {
  it('fills at its pace and no further than its capacity', () => {
    expect(refilled(steady({ tokens: 10, refill: { is: 'steady', perS: 4 } }), NOW + 2_500).tokens).toBe(20);
    expect(refilled(steady({ tokens: 10 }), NOW + 3_600_000).tokens).toBe(100);
  });

  it('of a window fills when the window begins anew, however many have passed', () => {
    expect(refilled(quarters({ tokens: 3 }), NOW + 299_999)).toMatchObject({ tokens: 3, refill: { resetsAt: NOW + 300_000 } });
    expect(refilled(quarters({ tokens: 3 }), NOW + 300_000)).toMatchObject({ tokens: 100, refill: { resetsAt: NOW + 1_200_000 } });
    expect(refilled(quarters({ tokens: 3 }), NOW + 300_000 + 2_000_000)).toMatchObject({ refill: { resetsAt: NOW + 300_000 + 2_700_000 } });
  });

  it('keeps what it has when the clock is set back', () => {
    const bucket = steady({ tokens: 10 });
    expect(refilled(bucket, NOW - 60_000)).toBe(bucket);
  });
});

describe('calls', () => {
  it('are taken of every bucket that they count against', () => {
    expect(tokensOf(takeCalls([steady(), quarters({ tokens: 5 })], ask(2), NOW, 0).buckets)).toEqual([98, 3]);
  });

  it('are taken of none when one lacks them, and may come back when the last of them has enough', () => {
    const taken = takeCalls([steady({ tokens: 1 }), quarters({ tokens: 1 })], ask(2), NOW, 0);
    expect(taken).toMatchObject({ granted: false, at: NOW + 300_000 });
    expect(tokensOf(taken.buckets)).toEqual([1, 1]);
  });

  it.each([
    ['live', 31, true],
    ['live', 1, true],
    ['backfill', 31, true],
    ['backfill', 30, false],
    ['sweep', 41, true],
    ['sweep', 40, false],
  ] as const)('%s with %d of 100 left: %s', (kind, tokens, granted) => {
    expect(takeCalls([steady({ tokens })], ask(1, kind), NOW, 0).granted).toBe(granted);
  });

  it('of a backfill come back when they leave the reserve alone', () => {
    expect(takeCalls([steady({ tokens: 20 })], ask(1, 'backfill'), NOW, 0)).toMatchObject({ granted: false, at: NOW + 11_000 });
    expect(takeCalls([quarters({ tokens: 20 })], ask(1, 'backfill'), NOW, 0)).toMatchObject({ granted: false, at: NOW + 300_000 });
  });

  it('that no bucket can ever hold wait, and do not spin', () => {
    expect(takeCalls([steady()], ask(100), NOW, 0)).toMatchObject({ granted: true, buckets: [{ tokens: 0 }] });
    expect(takeCalls([steady({ tokens: 99 })], ask(100), NOW, 0)).toMatchObject({ granted: false, at: NOW + 1_000 });
    expect(takeCalls([steady()], ask(101), NOW, 0)).toMatchObject({ granted: false, at: NOW + 60_000 });
    expect(takeCalls([steady({ tokens: 0, refill: { is: 'steady', perS: 0 } })], ask(1), NOW, 0)).toMatchObject({ at: NOW + 60_000 });
  });

  it('that were refused together come back apart, and never early', () => {
    const back = (random: number) => {
      const taken = takeCalls([quarters({ tokens: 0 })], ask(1), NOW, random);
      return taken.granted ? NaN : taken.at - NOW;
    };
    expect([back(0), back(0.5), back(1)]).toEqual([300_000, 315_000, 330_000]);
    const after = (ms: number) => takeCalls([steady({ pausedUntil: NOW + ms })], ask(1), NOW, 1);
    expect([after(50_000), after(3_600_000)]).toMatchObject([{ at: NOW + 55_000 }, { at: NOW + 3_630_000 }]);
  });

  it('wait while the provider wants them to, whoever makes them', () => {
    const paused = steady({ pausedUntil: NOW + 5_000 });
    expect(takeCalls([paused], ask(1), NOW, 0)).toMatchObject({ granted: false, at: NOW + 5_000 });
    expect(takeCalls([paused], ask(1), NOW + 1_000, 0)).toMatchObject({
      granted: false,
      at: NOW + 5_000,
      buckets: [{ pausedUntil: NOW + 5_000 }],
    });
    expect(takeCalls([paused], ask(1), NOW + 5_000, 0)).toMatchObject({ granted: true, buckets: [{ pausedUntil: undefined }] });
  });

  it('name the bucket that keeps them waiting longest', () => {
    const taken = (first: number, second: number) =>
      takeCalls([steady({ tokens: 0, pausedUntil: NOW + first }), steady({ tokens: 0, pausedUntil: NOW + second })], ask(1), NOW, 0);
    expect([taken(9_000, 5_000), taken(5_000, 9_000)]).toMatchObject([{ by: 0 }, { by: 1 }]);
  });

  it('that were taken and not made come back, never above the capacity, and not into a later window', () => {
    expect(givenBack(steady({ tokens: 50 }), 3, undefined, NOW).tokens).toBe(53);
    expect(givenBack(steady({ tokens: 99 }), 3, undefined, NOW).tokens).toBe(100);
    expect(givenBack(quarters({ tokens: 50 }), 3, NOW + 300_000, NOW).tokens).toBe(53);
    const next = { ...quarters({ tokens: 50 }), refill: { is: 'window' as const, lengthMs: 900_000, resetsAt: NOW + 1_200_000 } };
    expect(givenBack(next, 3, NOW + 300_000, NOW + 300_001).tokens).toBe(50);
  });

  it('of a class are never more at once than its share', () => {
    const most = (kind: CallClass) => mostAtOnce(steady(), kind);
    expect([most('live'), most('backfill'), most('sweep')]).toEqual([100, 70, 60]);
    expect(takeCalls([steady()], ask(most('sweep'), 'sweep'), NOW, 0).granted).toBe(true);
    expect(mostAtOnce(steady({ reserved: 1 }), 'sweep')).toBe(1);
  });

  it('that wait for a bucket come back at the pace of their class', () => {
    expect(spacingMs(steady({ refill: { is: 'steady', perS: 4 } }), 'sweep')).toBe(250);
    expect(spacingMs(quarters(), 'live')).toBe(9_000);
    expect(spacingMs(quarters(), 'backfill')).toBeCloseTo(900_000 / 70);
    expect(spacingMs(quarters({ reserved: 1 }), 'sweep')).toBe(900_000);
    expect(spacingMs(steady({ refill: { is: 'steady', perS: 0 } }), 'live')).toBe(60_000);
  });

  it('without a budget are free', () => {
    expect(takeCalls([], ask(1), NOW, 0)).toEqual({ granted: true, buckets: [] });
  });
});

describe('what the provider says', () => {
  it('lowers what is left, and never raises it: calls under way are not in its count', () => {
    expect(learned(steady({ tokens: 50 }), said({ remaining: 20 }), NOW).tokens).toBe(20);
    expect(learned(steady({ tokens: 50 }), said({ remaining: 80 }), NOW).tokens).toBe(50);
    expect(learned(steady({ tokens: 50 }), said({ remaining: 0 }), NOW).tokens).toBe(0);
  });

  it('sets the limit, and what is used stays used', () => {
    expect(learned(steady({ tokens: 60 }), said({ limit: 200 }), NOW)).toMatchObject({ capacity: 200, tokens: 160 });
    expect(learned(steady({ tokens: 60 }), said({ limit: 50 }), NOW)).toMatchObject({ capacity: 50, tokens: 10 });
    expect(learned(steady({ tokens: 10 }), said({ limit: 50 }), NOW)).toMatchObject({ capacity: 50, tokens: 0 });
  });

  it('sets when the window begins anew, where its length is known', () => {
    const resetsAt = NOW + 60_000;
    expect(learned(quarters(), said({ resetsAt }), NOW).refill).toEqual({ is: 'window', lengthMs: 900_000, resetsAt });
    expect(learned(steady(), said({ resetsAt, windowMs: 60_000 }), NOW).refill).toEqual({ is: 'window', lengthMs: 60_000, resetsAt });
    expect(learned(steady(), said({ resetsAt }), NOW).refill).toEqual({ is: 'steady', perS: 1 });
    expect(learned(quarters(), said({ resetsAt: NOW - 1 }), NOW).refill).toEqual(quarters().refill);
  });

  it('begins a new window when the provider says that one has begun', () => {
    const later = NOW + 300_000 + 900_000;
    expect(learned(quarters({ tokens: 3 }), said({ resetsAt: later, remaining: 99 }), NOW)).toMatchObject({
      tokens: 99,
      refill: { resetsAt: later },
    });
    // A reset that wavers by seconds is the same one.
    expect(learned(quarters({ tokens: 3 }), said({ resetsAt: NOW + 305_000, remaining: 99 }), NOW).tokens).toBe(3);
  });

  it('sets the pace', () => {
    expect(learned(steady(), said({ limit: 300, windowMs: 60_000 }), NOW).refill).toEqual({ is: 'steady', perS: 5 });
    expect(learned(steady(), said({ limit: 300 }), NOW).refill).toEqual({ is: 'steady', perS: 1 });
    expect(learned(steady(), said({ windowMs: 60_000 }), NOW).refill).toEqual({ is: 'steady', perS: 1 });
  });

  it('of a window that ended under way says nothing of the one after it', () => {
    const began = NOW + 300_000 - 900_000;
    expect(learned(quarters(), said({ remaining: 1 }), NOW, began - 1).tokens).toBe(100);
    expect(learned(quarters(), said({ remaining: 1 }), NOW, began).tokens).toBe(1);
    expect(refused(quarters(), undefined, NOW, began - 1)).toEqual(quarters());
    expect(refused(quarters(), NOW + 5_000, NOW, began - 1)).toMatchObject({ pausedUntil: NOW + 5_000 });
  });

  it.each([NaN, -1, Infinity, 0])('%d as a limit, a length or a reset is passed over', (nonsense) => {
    expect(learned(quarters({ tokens: 50 }), said({ limit: nonsense, windowMs: nonsense, resetsAt: nonsense }), NOW)).toEqual(
      quarters({ tokens: 50 }),
    );
  });

  it.each([NaN, -1, Infinity])('%d calls left is passed over', (remaining) => {
    expect(learned(steady({ tokens: 50 }), said({ remaining }), NOW).tokens).toBe(50);
  });
});

describe('a refusal', () => {
  it('empties the bucket until the time that was named', () => {
    const bucket = refused(steady(), NOW + 7_000, NOW);
    expect(bucket).toMatchObject({ tokens: 0, pausedUntil: NOW + 7_000 });
    expect(takeCalls([bucket], ask(1), NOW, 0)).toMatchObject({ granted: false, at: NOW + 7_000 });
  });

  it.each([undefined, NaN, Infinity, NOW - 1])('that names %s waits for the reset, else for a minute', (until) => {
    expect(refused(quarters(), until, NOW).pausedUntil).toBe(NOW + 300_000);
    expect(refused(steady(), until, NOW).pausedUntil).toBe(NOW + 60_000);
  });

  it('does not empty a bucket whose window ends later: another one ran out', () => {
    const day = quarters({ tokens: 40, refill: { is: 'window', lengthMs: 86_400_000, resetsAt: NOW + 40_000_000 } });
    expect(refused(day, NOW + 7_000, NOW)).toMatchObject({ tokens: 40, pausedUntil: NOW + 7_000 });
    expect(refused(day, NOW + 40_000_000, NOW)).toMatchObject({ tokens: 0 });
  });

  it('does not shorten one of before', () => {
    expect(refused(steady({ pausedUntil: NOW + 90_000 }), NOW + 5_000, NOW).pausedUntil).toBe(NOW + 90_000);
  });

  it.each([
    ['the reset alone', [undefined, NOW + 1_800_000], NOW + 1_800_000],
    ['a short Retry-After beside a long reset', [NOW + 5_000, NOW + 1_800_000], NOW + 1_800_000],
    ['a date that is past beside a reset', [NOW - 5_000, NOW + 9_000], NOW + 9_000],
    ['garbage', [NaN, undefined, Infinity], undefined],
    ['nothing', [], undefined],
  ])('comes with %s', (_name, times, expected) => {
    expect(retryAtOf(times, NOW)).toBe(expected);
  });
});

describe('whatever is asked', () => {
  const step = fc.record({
    wait: fc.nat(400_000),
    calls: fc.integer({ min: 1, max: 20 }),
    kind: fc.constantFrom('live' as const, 'backfill' as const, 'sweep' as const),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
    remaining: fc.option(fc.nat(120), { nil: undefined }),
  });

  it('no more is granted than came in, live reads find their share, and nobody is sent back early', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 40 }), (windowed, steps) => {
        let bucket = windowed ? quarters() : steady();
        let now = NOW;
        for (const { wait, calls, kind, random, remaining } of steps) {
          now += wait;
          const before = refilled(bucket, now);
          const taken = takeCalls([bucket], ask(calls, kind), now, random);
          [bucket] = taken.buckets as [Bucket];
          expect(bucket.tokens).toBe(taken.granted ? before.tokens - calls : before.tokens);
          expect(bucket.tokens).toBeGreaterThanOrEqual(kind === 'live' || !taken.granted ? 0 : 30);
          expect(bucket.tokens).toBeLessThanOrEqual(bucket.capacity);
          if (!taken.granted) {
            expect(taken.at).toBeGreaterThan(now);
            expect(takeCalls([bucket], ask(calls, kind), taken.at, 0).granted).toBe(true);
          }
          bucket = learned(bucket, said({ remaining }), now);
        }
      }),
    );
  });
});
