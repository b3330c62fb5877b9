import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type EndpointPace, type PacedAttempt, fullPace, isCongested, paceAfter, paceRule } from './endpoint-pace.js';

const attempt = (over: Partial<PacedAttempt> = {}): PacedAttempt => ({
  startedAt: 1_000,
  endedAt: 1_100,
  delivered: true,
  congested: false,
  random: 0.5,
  ...over,
});
const failed = (over: Partial<PacedAttempt> = {}) => attempt({ delivered: false, ...over });
const after = (pace: EndpointPace, ...attempts: PacedAttempt[]) => attempts.reduce(paceAfter, pace);

describe('requests at the same moment', () => {
  it.each([
    ['a timeout', 'timeout', undefined, true],
    ['502', 'http_error', 502, true],
    ['504', 'http_error', 504, true],
    ['500', 'http_error', 500, false],
    ['429, which says itself when to come back', 'http_error', 429, false],
    ['a refused connection', 'connection_refused', undefined, false],
  ])('%s is a sign of too much: %#', (_name, outcome, status, expected) => {
    expect(isCongested(outcome, status)).toBe(expected);
  });

  it('halve at a sign of too much, once for all that were in flight, and never below one', () => {
    const together = Array.from({ length: 5 }, () => failed({ congested: true }));
    expect(after(fullPace, ...together).concurrency).toBe(8);
    const one = { ...fullPace, concurrency: 1 };
    expect(after(one, failed({ congested: true })).concurrency).toBe(1);
  });

  it('halve again for what was begun after that', () => {
    const later = failed({ congested: true, startedAt: 1_100, endedAt: 1_200 });
    expect(after(fullPace, failed({ congested: true }), later).concurrency).toBe(4);
  });

  it('stay as they are at a failure that is no sign of too much', () => {
    expect(after(fullPace, failed(), failed()).concurrency).toBe(16);
  });

  it('grow by one for each round of successes, up to the most', () => {
    const four = { ...fullPace, concurrency: 4 };
    const grown = after(four, ...Array.from({ length: 4 }, () => attempt())).concurrency;
    expect(grown).toBeGreaterThan(4.85);
    expect(grown).toBeLessThan(5);
    expect(after(four, ...Array.from({ length: 1_000 }, () => attempt())).concurrency).toBe(16);
  });
});

describe('a rest', () => {
  const run = (count: number) => Array.from({ length: count }, () => failed());

  it('begins at the tenth failure in a row, not at the ninth', () => {
    expect(after(fullPace, ...run(9))).toMatchObject({ failures: 9, rests: 0, restsUntil: undefined });
    expect(after(fullPace, ...run(10))).toMatchObject({ failures: 10, rests: 1, restsUntil: 11_100 });
  });

  it('does not begin when one of them was taken', () => {
    expect(after(fullPace, ...run(9), attempt(), ...run(9)).restsUntil).toBeUndefined();
  });

  it('is not made longer by what was in flight when it began', () => {
    expect(after(fullPace, ...run(16))).toMatchObject({ failures: 16, rests: 1, restsUntil: 11_100 });
  });

  it.each([
    [1, 20_000],
    [2, 40_000],
    [5, 320_000],
    [6, 600_000],
    [5_000, 600_000],
  ])('is twice as long after a failed probe: after %d rests %d ms', (rests, ms) => {
    const resting = { ...fullPace, failures: 10, rests, restsUntil: 900 };
    expect(after(resting, failed())).toMatchObject({ rests: rests + 1, restsUntil: 1_100 + ms });
  });

  it('ends at a success, and the next one is short again', () => {
    const well = after({ ...fullPace, failures: 30, rests: 4, restsUntil: 900 }, attempt());
    expect(well).toMatchObject({ failures: 0, rests: 0, restsUntil: undefined });
    expect(after(well, ...run(10)).restsUntil).toBe(11_100);
  });

  it.each([
    [0, 1_100 + 9_000],
    [1, 1_100 + 11_000],
  ])('is spread by a tenth: random %d', (random, until) => {
    expect(after(fullPace, ...run(9), failed({ random })).restsUntil).toBe(until);
  });
});

it('whatever is answered, the pace stays within its bounds and a success ends every rest', () => {
  const one = fc.record({
    delivered: fc.boolean(),
    congested: fc.boolean(),
    took: fc.nat(20_000),
    gap: fc.nat(700_000),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 200 }), (answers) => {
      let pace = fullPace;
      let now = 0;
      for (const { took, gap, ...rest } of answers) {
        now += gap;
        pace = paceAfter(pace, { ...rest, startedAt: now, endedAt: now + took });
        now += took;
        if (pace.concurrency < paceRule.least || pace.concurrency > paceRule.most) return false;
        if (rest.delivered && (pace.restsUntil !== undefined || pace.failures !== 0)) return false;
        if ((pace.restsUntil ?? now) - now > paceRule.longestRestMs * 1.1) return false;
      }
      return true;
    }),
  );
});
