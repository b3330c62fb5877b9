import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from './decide.js';
import { type HeldState, type Observation, freshnessOfPull, freshnessOfPush } from './observation.js';

const NOON = Date.parse('2026-09-15T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A complete read at noon; `undefined` as content: nothing is there. */
const observed = (contentHash: string | undefined, rest: Partial<Omit<Observation, 'contentHash'>>): Observation => ({
  contentHash,
  inputHash: undefined,
  normalizerVersion: 1,
  providerVersion: undefined,
  clockDomain: undefined,
  coverageEnd: undefined,
  fresh: { from: NOON, to: NOON },
  via: 'pull',
  complete: true,
  ingestedAt: NOON,
  impossible: false,
  ...rest,
});
const after = (...seen: Observation[]): HeldState | undefined =>
  seen.reduce<HeldState | undefined>((held, one) => decide(held, one).next, undefined);

/** Pulls the truth until nothing more is wished for; the first one begins after everything. */
function settle(start: HeldState | undefined, truth: Omit<Observation, 'fresh' | 'ingestedAt'>, from: number): HeldState | undefined {
  let state = start;
  let begin = from;
  for (let pulls = 0; pulls < 6; pulls += 1) {
    const decision = decide(state, { ...truth, fresh: { from: begin, to: begin + 1_000 }, ingestedAt: begin + 1_000 });
    state = decision.next;
    if (decision.settle === undefined) return state;
    begin = Math.max(begin + 2_000, decision.settle.notBefore);
  }
  throw new Error('it never settles');
}

describe('convergence', () => {
  const END = NOON + 10 * DAY;
  const contents = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
  const anything = fc
    .record({
      content: contents,
      v: fc.option(fc.nat(6), { nil: undefined }),
      domain: fc.constantFrom('x', 'y'),
      coverage: fc.option(fc.nat(40), { nil: undefined }),
      from: fc.nat(40),
      length: fc.nat(15),
      lag: fc.nat(10),
      via: fc.constantFrom('pull' as const, 'push' as const),
      complete: fc.boolean(),
    })
    .map(({ content, v, domain, coverage, from, length, lag, via, complete }) => {
      const fresh = { from: NOON + from * HOUR, to: NOON + (from + length) * HOUR };
      return observed(content, {
        providerVersion: v,
        clockDomain: v === undefined ? undefined : domain,
        coverageEnd: coverage === undefined ? undefined : NOON + coverage * HOUR,
        fresh,
        ingestedAt: fresh.to + lag * MINUTE,
        via,
        complete,
      });
    });
  const inAnyOrder = <T>(all: readonly T[]) => fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 });

  it('any order and any copies of whatever was seen, then the settling pull: what it shows is held', () => {
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 8 }).chain(inAnyOrder), anything, (seen, last) => {
        const truth = { ...last, via: 'pull' as const, complete: true };
        const end = settle(after(...seen), truth, END);
        if (end === undefined) expect(truth.contentHash).toBeUndefined();
        else {
          expect({ deleted: end.deleted, unsettled: end.unsettled, doubt: end.doubt }).toEqual({
            deleted: truth.contentHash === undefined,
            unsettled: false,
            doubt: undefined,
          });
          if (!end.deleted) expect(end.contentHash).toBe(truth.contentHash);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  /** A provider's own history: one state after the other, an hour apart, and looks at it, each of the state that was there. */
  const history = fc
    .record({
      states: fc.array(fc.record({ content: contents, reach: fc.nat(3) }), { minLength: 1, maxLength: 6 }),
      versioned: fc.boolean(),
      looks: fc.array(fc.record({ state: fc.nat(5), minute: fc.nat(50), pulled: fc.boolean(), lag: fc.nat(300) }), {
        minLength: 1,
        maxLength: 8,
      }),
    })
    .map(({ states, versioned, looks }) => {
      const shows = (index: number): Omit<Observation, 'fresh' | 'ingestedAt'> => {
        const { content, reach } = states[index] as { content: string | undefined; reach: number };
        // The same state is the same content: two states with one version would not be a history.
        return observed(content, {
          providerVersion: versioned ? index + 1 : undefined,
          clockDomain: versioned ? 'provider' : undefined,
          coverageEnd: content === undefined ? undefined : NOON + reach * MINUTE,
        });
      };
      const seen = looks.map(({ state, minute, pulled, lag }): Observation => {
        const index = state % states.length;
        const when = NOON + index * HOUR + 5 * MINUTE + minute * MINUTE;
        const shown = shows(index);
        if (pulled) return { ...shown, fresh: freshnessOfPull(when, when + 1_000), ingestedAt: when + 1_000 };
        const receivedAt = when + lag * MINUTE;
        return {
          ...shown,
          via: 'push',
          complete: false,
          fresh: freshnessOfPush(undefined, shown.coverageEnd, receivedAt),
          ingestedAt: receivedAt,
        };
      });
      return { seen, truth: shows(states.length - 1) };
    });

  it('looks at a real history, in any order and any copies, then the settling pull: one and the same state', () => {
    fc.assert(
      fc.property(
        history.chain(({ seen, truth }) => fc.tuple(inAnyOrder(seen), inAnyOrder(seen), fc.constant(truth))),
        ([one, other, truth]) => {
          const [a, b] = [settle(after(...one), truth, END), settle(after(...other), truth, END)];
          const what = (state: HeldState | undefined) =>
            state === undefined || state.deleted
              ? 'nothing'
              : [state.contentHash, state.providerVersion, state.clockDomain, state.coverageEnd, state.unsettled, state.doubt];
          expect(what(a)).toEqual(what(b));
          expect(what(a)).toEqual(
            truth.contentHash === undefined
              ? 'nothing'
              : [truth.contentHash, truth.providerVersion, truth.clockDomain, truth.coverageEnd, false, undefined],
          );
        },
      ),
      { numRuns: 600 },
    );
  });

  it('every write raises the version that the statement compares', () => {
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 12 }), (seen) => {
        let state: HeldState | undefined;
        for (const one of seen) {
          const decision = decide(state, one);
          if (state !== undefined && (decision.do === 'write' || decision.do === 'remove'))
            expect(decision.next.version).toBeGreaterThan(state.version);
          else if (state !== undefined) expect(decision.next?.version).toBeGreaterThanOrEqual(state.version);
          state = decision.next;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('whatever is seen again at once changes nothing more', () => {
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 6 }), (seen) => {
        const once = after(...seen);
        const last = seen[seen.length - 1] as Observation;
        const decision = decide(once, last);
        expect(['write', 'remove']).not.toContain(decision.do);
        expect(decision.next).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  it('a value may go down as well as up: the newer read is taken either way', () => {
    fc.assert(
      fc.property(fc.nat(30_000), fc.nat(30_000), (before, now) => {
        fc.pre(before !== now);
        const reach = { coverageEnd: NOON };
        expect(
          decide(
            after(observed(String(before), reach)),
            observed(String(now), { ...reach, fresh: freshnessOfPull(NOON + HOUR, NOON + HOUR) }),
          ),
        ).toMatchObject({
          do: 'write',
          next: { contentHash: String(now) },
        });
      }),
    );
  });
});
