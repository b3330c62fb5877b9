import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DailyQuestion, RESOLVER_VERSION, resolveDaily, resolveMeasurements, resolveSeries } from './resolve-sources.js';
import type { PriorityEntry, PriorityLists, SourceCandidate } from './source-priority.js';

const nobody: PriorityLists = { ofUser: undefined, ofTenant: undefined };
const source = (provider: string, sourceType: string, rest: Partial<SourceCandidate> = {}): SourceCandidate => ({
  key: `${provider}/${sourceType}`,
  sourceId: `${provider}-${sourceType}`,
  sourceType,
  provider,
  originProvider: undefined,
  coverage: undefined,
  ...rest,
});
const total = (rest: Partial<DailyQuestion> = {}): DailyQuestion => ({
  metric: 'steps',
  kind: 'total',
  lists: nobody,
  dayOpen: false,
  before: undefined,
  ...rest,
});
const entry = (by: PriorityEntry['by'], is: string): PriorityEntry => ({ by, is });
const watch = source('garmin', 'watch');
const phone = source('google', 'phone');
const ring = source('oura', 'ring');
const merged = source('apple', 'platform_merged');

describe('the source of a day', () => {
  it('a total that a platform has merged stands before all', () => {
    const resolution = resolveDaily([phone, watch, merged], total());
    expect(resolution).toMatchObject({ picked: 'apple/platform_merged', rule: 'platform_merged', resolverVersion: RESOLVER_VERSION });
    expect(resolution.candidates.map(({ key, skipped }) => [key, skipped])).toEqual([
      ['garmin/watch', 'not_merged'],
      ['google/phone', 'not_merged'],
      ['apple/platform_merged', undefined],
    ]);
  });

  it('a summary is one method: nothing merged is preferred, and coverage does not count', () => {
    const barelyWorn = { ...watch, coverage: 0.1 };
    expect(resolveDaily([merged, { ...ring, coverage: 1 }, barelyWorn], total({ kind: 'summary' }))).toMatchObject({
      picked: 'garmin/watch',
      rule: 'priority',
    });
  });

  it.each([
    ['nobody said anything: by kind of device', nobody, 'garmin/watch'],
    ['the tenant prefers a provider', { ...nobody, ofTenant: [entry('provider', 'google')] }, 'google/phone'],
    [
      'the tenant prefers it, but not for this user',
      { ofTenant: [entry('provider', 'google')], ofUser: [entry('type', 'ring')] },
      'oura/ring',
    ],
    ['one source of its own', { ...nobody, ofUser: [entry('source', 'google-phone')] }, 'google/phone'],
    ['a list that names none of them', { ...nobody, ofUser: [entry('provider', 'polar')] }, 'garmin/watch'],
  ] as const)('%s', (_name, lists, picked) => {
    expect(resolveDaily([phone, ring, watch], total({ lists })).picked).toBe(picked);
  });

  it.each([
    ['body_weight', source('withings', 'scale')],
    ['blood_pressure', source('withings', 'cuff')],
  ])('of %s the device that is made for it stands first', (metric, device) => {
    expect(resolveDaily([watch, device], total({ metric, kind: 'summary' })).picked).toBe(device.key);
    expect(resolveDaily([watch, device], total()).picked).toBe(watch.key);
  });

  it('a watch on the table for half of the day is not the day', () => {
    const seen = (coverage: number) =>
      resolveDaily(
        [
          { ...watch, coverage },
          { ...phone, coverage: 0.9 },
        ],
        total(),
      );
    expect(seen(0.44)).toMatchObject({ picked: 'google/phone', candidates: [{ skipped: 'low_coverage' }, { skipped: undefined }] });
    expect(seen(0.45).picked).toBe('garmin/watch');
    expect(resolveDaily([watch, { ...phone, coverage: 0.9 }], total()).picked).toBe('garmin/watch');
  });

  it('what came by another road than its own is an echo, while its own road has something', () => {
    const relayed = source('apple', 'watch', { originProvider: 'garmin' });
    const resolution = resolveDaily([relayed, watch, phone], total({ lists: { ...nobody, ofUser: [entry('provider', 'apple')] } }));
    expect(resolution.picked).toBe('garmin/watch');
    expect(resolution.candidates.find(({ key }) => key === 'apple/watch')).toEqual({
      key: 'apple/watch',
      skipped: 'echo',
      echoOf: 'garmin/watch',
    });
    expect(resolveDaily([relayed, phone], total()).picked).toBe('apple/watch');
  });

  it('two that each name the other as the writer are no echoes', () => {
    const a = source('apple', 'watch', { originProvider: 'garmin' });
    const b = source('garmin', 'watch', { originProvider: 'apple' });
    expect(resolveDaily([a, b], total()).picked).toBe('apple/watch');
  });

  it('nothing has no source', () => {
    expect(resolveDaily([], total())).toMatchObject({ picked: undefined, rule: 'nothing', candidates: [] });
  });
});

describe('an open day', () => {
  const open = (before: DailyQuestion['before']) => total({ dayOpen: true, before });
  const held = { picked: 'google/phone', challenger: undefined };

  it('changes its source when the lead has lasted two evaluations', () => {
    const first = resolveDaily([watch, phone], open(held));
    expect(first).toMatchObject({ picked: 'google/phone', rule: 'hysteresis', challenger: 'garmin/watch' });
    expect(resolveDaily([watch, phone], open(first))).toMatchObject({ picked: 'garmin/watch', rule: 'priority', challenger: undefined });
  });

  it('not when the lead goes to another, or ends', () => {
    const first = resolveDaily([watch, phone], open(held));
    expect(resolveDaily([merged, watch, phone], open(first))).toMatchObject({
      picked: 'google/phone',
      challenger: 'apple/platform_merged',
    });
    expect(resolveDaily([phone], open(first))).toMatchObject({ picked: 'google/phone', rule: 'priority', challenger: undefined });
  });

  it('at once when its source is gone, and when the day is closed', () => {
    expect(resolveDaily([watch, ring], open(held)).picked).toBe('garmin/watch');
    expect(resolveDaily([watch, phone], total({ before: held })).picked).toBe('garmin/watch');
  });
});

describe('series', () => {
  it('of each span of a day the best source that is not empty there', () => {
    const resolution = resolveSeries(
      [
        { ...phone, spans: [0, 900, 1800], intervalS: undefined },
        { ...watch, spans: [1800, 2700], intervalS: undefined },
        { ...source('apple', 'watch', { originProvider: 'garmin' }), spans: [900, 3600], intervalS: undefined },
      ],
      'heart_rate',
      nobody,
    );
    expect(resolution.spans).toEqual([
      { span: 0, picked: 'google/phone' },
      { span: 900, picked: 'google/phone' },
      { span: 1800, picked: 'garmin/watch' },
      { span: 2700, picked: 'garmin/watch' },
    ]);
    expect(resolution.picked).toBe('garmin/watch');
    expect(resolution.candidates.map(({ key, skipped }) => [key, skipped])).toEqual([
      ['apple/watch', 'echo'],
      ['garmin/watch', undefined],
      ['google/phone', undefined],
    ]);
  });

  it('samples that count for other lengths of time are never mixed into one day', () => {
    const resolution = resolveSeries(
      [
        { ...phone, spans: [0, 900], intervalS: 60 },
        { ...watch, spans: [900], intervalS: 900 },
      ],
      'steps_intraday',
      nobody,
    );
    expect(resolution.spans).toEqual([{ span: 900, picked: 'garmin/watch' }]);
    expect(resolution.candidates[1]).toEqual({ key: 'google/phone', skipped: 'other_interval', echoOf: undefined });
  });

  it('nothing has no source', () => {
    expect(resolveSeries([], 'heart_rate', nobody)).toEqual({ spans: [], picked: undefined, candidates: [] });
  });
});

describe('measurements of a day', () => {
  const scale = source('withings', 'scale');
  const at = (candidate: SourceCandidate, clock: string, ...reading: number[]) => ({
    ...candidate,
    at: Date.parse(`2026-09-15T${clock}Z`),
    reading,
  });
  const weight = (...all: ReturnType<typeof at>[]) => resolveMeasurements(all, 'body_weight', nobody);

  it('the latest, and the better source of two that are as late', () => {
    expect(weight(at(scale, '07:00:00', 82), at(phone, '09:00:00', 83)).picked).toBe('google/phone');
    expect(weight(at(phone, '09:00:00', 83), at(scale, '09:00:00', 82)).picked).toBe('withings/scale');
    expect(weight().picked).toBeUndefined();
  });

  it('C159: an echo of an echo is marked as likely the same, and the day counts the weighing once', () => {
    const google = source('google', 'unknown');
    const healthConnect = source('health_connect', 'unknown', { originProvider: 'google' });
    const rows = [at(scale, '07:01:12', 82.3), at(google, '07:01:00', 82.3), at(healthConnect, '07:02:59', 82.31)];
    for (const order of [rows, [...rows].reverse()]) {
      expect(weight(...order)).toEqual({
        picked: 'withings/scale',
        candidates: [
          { key: 'withings/scale', skipped: undefined, echoOf: undefined },
          { key: 'google/unknown', skipped: 'echo', echoOf: 'withings/scale' },
          { key: 'health_connect/unknown', skipped: 'echo', echoOf: 'withings/scale' },
        ],
      });
    }
  });

  it.each([
    ['two minutes and a second later', '07:03:13', 82.3],
    ['of another person on the same scale', '07:01:30', 64.1],
    ['that is a pound less', '07:01:30', 81.8],
  ])('a weighing %s is another one', (_name, clock, value) => {
    const { candidates, picked } = weight(at(scale, '07:01:12', 82.3), at(phone, clock, value));
    expect(candidates.map(({ skipped }) => skipped)).toEqual([undefined, undefined]);
    expect(picked).toBe('google/phone');
  });

  it('two equal readings of one road are two', () => {
    const again = { ...at(scale, '07:02:00', 82.3), key: 'withings/scale/2' };
    expect(weight(at(scale, '07:01:12', 82.3), again).candidates.every(({ skipped }) => skipped === undefined)).toBe(true);
  });

  it('a blood pressure is the same when all of its parts are', () => {
    const cuff = source('withings', 'cuff');
    const resolve = (pulse: number) =>
      resolveMeasurements([at(cuff, '07:00:00', 121, 79, 61), at(phone, '07:00:00', 121, 79, pulse)], 'blood_pressure', nobody);
    expect(resolve(61).candidates[1]?.skipped).toBe('echo');
    expect(resolve(64).candidates[1]?.skipped).toBeUndefined();
  });
});

describe('whatever the candidates', () => {
  const candidate = fc
    .record({
      provider: fc.constantFrom('garmin', 'apple', 'google', 'oura'),
      sourceType: fc.constantFrom('watch', 'phone', 'ring', 'platform_merged', 'toaster'),
      n: fc.nat(3),
      originProvider: fc.option(fc.constantFrom('garmin', 'apple', 'oura', 'polar'), { nil: undefined }),
      coverage: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    })
    .map(
      ({ n, ...rest }): SourceCandidate => ({
        ...rest,
        key: `${rest.provider}/${rest.sourceType}${n}`,
        sourceId: `${rest.sourceType}${n}`,
      }),
    );
  const candidates = fc.uniqueArray(candidate, { maxLength: 7, selector: ({ key }) => key });
  const question = fc.record({
    metric: fc.constantFrom('steps', 'body_weight'),
    kind: fc.constantFrom('total' as const, 'summary' as const),
    lists: fc.record({
      ofUser: fc.option(fc.constant([entry('provider', 'oura'), entry('type', 'phone')]), { nil: undefined }),
      ofTenant: fc.option(fc.constant([entry('source', 'watch1')]), { nil: undefined }),
    }),
    dayOpen: fc.boolean(),
    before: fc.option(fc.record({ picked: fc.constant('garmin/watch0'), challenger: fc.constantFrom('apple/phone1', undefined) }), {
      nil: undefined,
    }),
  });
  const shuffled = candidates.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));

  it('their order does not matter, one of them is picked, and never one that was skipped as an echo', () => {
    fc.assert(
      fc.property(shuffled, question, ([all, other], asked) => {
        const resolution = resolveDaily(all, asked);
        expect(resolveDaily(other, asked)).toEqual(resolution);
        const picked = resolution.candidates.find(({ key }) => key === resolution.picked);
        expect(picked === undefined).toBe(all.length === 0);
        expect(picked?.skipped).not.toBe('echo');
        expect(resolution.candidates.map(({ key }) => key).sort()).toEqual(all.map(({ key }) => key).sort());
      }),
      { numRuns: 300 },
    );
  });
});
