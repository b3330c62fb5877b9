import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type IntradayCandidate, resolveIntraday } from './resolve-intraday.js';
import { type DailyQuestion, resolveDaily } from './resolve-sources.js';
import type { Samples } from './series.js';
import type { SourceCandidate } from './source-priority.js';

type Source = SourceCandidate & IntradayCandidate;

const DAY = Date.parse('2026-09-14T00:00:00Z');
/** Steps by their time of day, each counted over as long. */
const samples = (intervalS: number | undefined, counts: Readonly<Record<string, number>>, midnight = DAY): Samples | undefined => {
  const timed = Object.entries(counts)
    .map(([clock, value]) => [midnight / 1000 + Number(clock.slice(0, 2)) * 3600 + Number(clock.slice(3)) * 60, value] as const)
    .sort(([a], [b]) => a - b);
  const first = timed[0]?.[0];
  if (first === undefined) return undefined;
  return {
    from: new Date(first * 1000).toISOString(),
    offsetsS: timed.map(([at]) => at - first),
    values: timed.map(([, value]) => value),
    intervalS,
  };
};
const sumOf = (all: Samples | undefined) => (all?.values ?? []).reduce((total, value) => total + value, 0);
const source = (sourceType: string, series: Samples | undefined, rest: Partial<Source> = {}): Source => ({
  key: `${rest.provider ?? 'withings'}/${sourceType}`,
  sourceId: sourceType,
  sourceType,
  provider: 'withings',
  originProvider: undefined,
  coverage: undefined,
  total: sumOf(series),
  samples: series,
  ...rest,
});
const question: DailyQuestion = {
  metric: 'steps',
  kind: 'total',
  lists: { ofUser: undefined, ofTenant: undefined },
  dayOpen: false,
  before: undefined,
};
const compute = (sources: readonly Source[], asked: Partial<DailyQuestion> = {}, computedBefore = false) =>
  resolveIntraday(resolveDaily(sources, { ...question, ...asked }), sources, { decimals: 0, computedBefore });
const quarters = (result: ReturnType<typeof compute>) => result?.quarters.map(({ key, count }) => [key, count]);

const watch = source('watch', samples(60, { '08:00': 100, '08:14': 50, '12:00': 30 }));
const phone = source('phone', samples(60, { '08:05': 90, '08:20': 40, '18:00': 200 }));

describe('a total of several sources of one ecosystem', () => {
  it('has of each quarter of an hour what the best source with samples there counted, and never two of them', () => {
    const result = compute([watch, phone]);
    expect(result).toEqual({
      // The phone's 90 of the first quarter are the watch's steps once more.
      value: 100 + 50 + 30 + 40 + 200,
      quarters: [
        { key: 'withings/watch', count: 2 },
        { key: 'withings/phone', count: 2 },
      ],
    });
  });

  it('the order of preference is the one of the total: a list turns it round', () => {
    const lists = { ofUser: [{ by: 'type', is: 'phone' } as const], ofTenant: undefined };
    expect(compute([watch, phone], { lists })).toEqual({
      value: 90 + 40 + 200 + 30,
      quarters: [
        { key: 'withings/phone', count: 3 },
        { key: 'withings/watch', count: 1 },
      ],
    });
  });

  it('a source that covered too little of the day to be picked is still the best where it has samples', () => {
    const morning = { ...watch, coverage: 0.2 };
    expect(compute([morning, { ...phone, coverage: 1 }])?.quarters[0]).toEqual({ key: 'withings/watch', count: 2 });
  });

  it('a sample of zero is a sample, and no samples are a gap', () => {
    const still = source('watch', samples(60, { '08:00': 100, '18:05': 0 }));
    expect(compute([still, phone])).toEqual({
      value: 100 + 40,
      quarters: [
        { key: 'withings/watch', count: 2 },
        { key: 'withings/phone', count: 1 },
      ],
    });
  });

  it('a sample over the end of a quarter belongs to both in proportion', () => {
    const long = source('watch', samples(600, { '08:10': 100 }));
    const result = compute([long, source('phone', samples(60, { '08:02': 7, '08:20': 9, '08:30': 11 }))]);
    // Both quarters are the watch's, with five minutes of its sample each; together they are the whole of it.
    expect(result).toEqual({
      value: 111,
      quarters: [
        { key: 'withings/watch', count: 2 },
        { key: 'withings/phone', count: 1 },
      ],
    });
    // Of the phone's long sample only the part in the quarter that is free counts.
    const early = source('watch', samples(60, { '08:01': 5 }));
    expect(compute([early, source('phone', samples(600, { '08:10': 100 }))])?.value).toBe(5 + 50);
  });

  it('samples of an instant belong to the quarter of that instant, its first second included', () => {
    const result = compute([
      source('watch', samples(undefined, { '08:15': 5 })),
      source('phone', samples(undefined, { '08:14': 3, '08:29': 9 })),
    ]);
    expect(result?.value).toBe(8);
    expect(quarters(result)).toEqual([
      ['withings/watch', 1],
      ['withings/phone', 1],
    ]);
  });

  it.each([
    ['23 hours, the clocks go forward', '2026-03-28T23:00:00Z', 92],
    ['24 hours', '2026-03-29T22:00:00Z', 96],
    ['25 hours, the clocks go back', '2026-10-24T22:00:00Z', 100],
  ])('a day of %s has each of its quarters once', (_name, begins, count) => {
    const start = Date.parse(begins);
    const every = (which: (n: number) => boolean): Samples => {
      const offsetsS = Array.from({ length: count }, (_, n) => n)
        .filter(which)
        .map((n) => n * 900);
      const first = offsetsS[0] as number;
      return {
        from: new Date(start + first * 1000).toISOString(),
        offsetsS: offsetsS.map((offset) => offset - first),
        values: offsetsS.map(() => 10),
        intervalS: 900,
      };
    };
    const result = compute([
      source(
        'watch',
        every((n) => n % 2 === 0),
      ),
      source(
        'phone',
        every(() => true),
      ),
    ]);
    expect(result?.value).toBe(count * 10);
    expect(quarters(result)).toEqual([
      ['withings/watch', count / 2],
      ['withings/phone', count / 2],
    ]);
  });
});

describe('the total of the picked source stands', () => {
  const other = (rest: Partial<Source>) => source('phone', phone.samples, { key: 'other', ...rest });
  it.each([
    ['for one source alone', [watch]],
    ['when the others are of another provider', [watch, other({ provider: 'garmin' })]],
    ['when the others have no samples', [watch, source('phone', undefined, { total: 330 })]],
    ['when the others have an empty series', [watch, source('phone', { ...(phone.samples as Samples), offsetsS: [], values: [] })]],
    ['when it has none itself', [source('watch', undefined, { total: 180 }), phone, source('band', watch.samples)]],
    ['when a platform has merged the day', [watch, phone, source('platform_merged', undefined, { provider: 'google', total: 400 })]],
    ['when the others only fill what it has', [watch, source('phone', samples(60, { '08:05': 90 }))]],
    ['when its series is less than half of its day', [{ ...watch, total: 361 }, phone]],
    ['when another’s series is less than half of its day', [watch, { ...phone, total: 661 }]],
    ['when what it has by itself is more', [{ ...watch, total: 359 }, source('phone', samples(60, { '18:00': 100 }))]],
    ['when their samples reach over more than any day', [watch, source('phone', samples(60, { '33:15': 5 }))]],
  ])('%s', (_name, sources) => {
    expect(compute(sources)).toBeUndefined();
  });

  it('of just half of a day, and of just a day, samples will do', () => {
    expect(compute([{ ...watch, total: 360 }, phone])?.value).toBe(420);
    expect(compute([watch, source('phone', samples(60, { '33:00': 5 }))])?.value).toBe(185);
  });

  it('an echo is left out: its writer is connected, and its steps came by that road', () => {
    const direct = source('watch', undefined, { provider: 'garmin', key: 'garmin/watch', total: 400 });
    const echo = source('watch', watch.samples, { originProvider: 'garmin' });
    const band = source('band', samples(60, { '07:00': 500 }));
    const lists = { ofUser: [{ by: 'provider', is: 'withings' } as const], ofTenant: undefined };
    expect(compute([echo, direct, phone], { lists })).toBeUndefined();
    expect(quarters(compute([echo, direct, phone, band], { lists }))).toEqual([
      ['withings/band', 1],
      ['withings/phone', 3],
    ]);
  });
});

describe('on an open day', () => {
  const held = { picked: 'withings/phone', challenger: undefined };
  const open = { dayOpen: true, before: held };

  it('a held pick keeps its own total until the lead has lasted', () => {
    expect(compute([watch, phone], open)).toBeUndefined();
    expect(compute([watch, phone], { dayOpen: true, before: { ...held, challenger: 'withings/watch' } })?.value).toBe(420);
  });

  it('a computed total stays computed while another leads, and the leader takes no quarter yet', () => {
    expect(compute([watch, phone], open, true)).toEqual({
      value: 360,
      quarters: [
        { key: 'withings/phone', count: 3 },
        { key: 'withings/watch', count: 1 },
      ],
    });
  });
});

it('what a platform has merged fills no quarter, not even while it waits for its lead to last', () => {
  const merged = source('platform_merged', samples(60, { '20:00': 999 }));
  const before = { picked: 'withings/watch', challenger: undefined };
  const result = compute([watch, phone, merged], { dayOpen: true, before }, true);
  expect([result?.value, quarters(result)]).toEqual([
    420,
    [
      ['withings/watch', 2],
      ['withings/phone', 2],
    ],
  ]);
});

describe('whatever the sources', () => {
  const series = fc
    .uniqueArray(fc.record({ n: fc.nat(95), value: fc.nat(500) }), { selector: ({ n }) => n, maxLength: 20 })
    .map((all) => samples(900, Object.fromEntries(all.map(({ n, value }) => [clock(n), value]))));
  const clock = (n: number) => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`;
  const sources = fc
    .uniqueArray(
      fc.record({
        type: fc.constantFrom('watch', 'phone', 'band', 'ring'),
        provider: fc.constantFrom('withings', 'google'),
        originProvider: fc.constantFrom(undefined, 'withings'),
        series,
      }),
      { selector: ({ type, provider }) => `${provider}/${type}`, maxLength: 6 },
    )
    .map((all) => all.map(({ type, series: own, ...rest }) => source(type, own, rest)));

  it('their order does not matter; the sum is at most what all counted, at least what the best did, and of one provider', () => {
    let computed = 0;
    fc.assert(
      fc.property(
        sources.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, other]) => {
          const result = compute(all);
          expect(compute(other)).toEqual(result);
          if (result === undefined) return;
          computed += 1;
          const used = all.filter(({ key }) => result.quarters.some((one) => one.key === key));
          expect(new Set(used.map(({ provider }) => provider)).size).toBe(1);
          expect(result.value).toBeLessThanOrEqual(used.reduce((sum, { total }) => sum + total, 0));
          expect(result.value).toBeGreaterThanOrEqual(used.find(({ key }) => key === result.quarters[0]?.key)?.total ?? Infinity);
          expect(result.quarters.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(96);
        },
      ),
      { numRuns: 500 },
    );
    expect(computed).toBeGreaterThan(50);
  });
});
