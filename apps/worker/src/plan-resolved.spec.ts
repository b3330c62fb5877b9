import { describe, expect, it } from '@jest/globals';
import type { DailyCandidateRow, IntradayRow, ResolvedState } from '@tributary/storage';
import { daysAround } from './plan-resolved-sessions.js';
import { judgeDaily, resolvedRow, seriesToRead } from './plan-resolved.js';

const key = { userId: 'usr_1', kind: 'daily', metric: 'steps', localDate: '2026-09-14', item: '' } as const;
const judging = {
  lists: { ofUser: undefined, ofTenant: undefined },
  now: Date.parse('2026-09-20T00:00:00Z'),
  renewed: false,
  localDate: '2026-09-14',
};
const row = (provider: string, rest: Partial<DailyCandidateRow> = {}): DailyCandidateRow => ({
  userId: 'usr_1',
  localDate: '2026-09-14',
  metric: 'steps',
  value: 100,
  provider,
  sourceId: 'src',
  recordId: null,
  source: { id: 'src', type: 'watch', manufacturer: undefined, model: undefined },
  coverage: null,
  utcOffsetS: 0,
  revision: 7,
  ...rest,
});
const stands = (rows: readonly DailyCandidateRow[], rest: Partial<ResolvedState> = {}): ResolvedState => {
  const made = resolvedRow(key, judgeDaily('steps', rows, undefined, judging), undefined, false);
  if (made === undefined) throw new Error('nothing stands');
  return { ...made, revision: 9, waits: false, ...rest };
};
const next = (rows: readonly DailyCandidateRow[], before: ResolvedState | undefined, renewed = false) =>
  resolvedRow(key, judgeDaily('steps', rows, before, { ...judging, renewed }), before, renewed);

describe('what becomes of a row of the view', () => {
  it.each([
    ['nothing and nothing before', [], undefined, undefined],
    ['the first source', [row('garmin')], undefined, 'created'],
    ['the same as before', [row('garmin')], stands([row('garmin')]), undefined],
    ['the same source with another value', [row('garmin', { revision: 8 })], stands([row('garmin')]), 'updated'],
    ['no source any more', [], stands([row('garmin')]), 'deleted'],
    ['still none', [], stands([row('garmin')], { deleted: true }), undefined],
    ['one again', [row('garmin')], stands([row('garmin')], { deleted: true }), 'restored'],
  ] as const)('%s', (_name, rows, before, change) => {
    const made = next([...rows], before);
    expect(made?.change).toBe(change);
    expect(made === undefined).toBe(change === undefined);
  });

  it('other grounds for the same value are written down under the revision that it has', () => {
    const before = stands([row('garmin')]);
    expect(next([row('garmin'), row('google')], before)).toMatchObject({ change: undefined, revision: 9, deleted: false });
  });

  it('a changed list says so', () => {
    const before = stands([row('google')]);
    expect(next([row('garmin'), row('google')], before, true)?.change).toBe('re_resolved');
    expect(next([row('garmin'), row('google')], before)?.change).toBe('updated');
  });

  it('a row that waited and is judged stops waiting, though it shows the same', () => {
    expect(next([row('garmin')], stands([row('garmin')], { waits: true }))).toMatchObject({ change: undefined, judgeAgainMs: undefined });
  });

  it('a day is open until it has ended everywhere that a source was, and a day more', () => {
    const before = stands([row('google')]);
    const at = (now: string, utcOffsetS: number | null) =>
      judgeDaily('steps', [row('garmin', { utcOffsetS }), row('google')], before, { ...judging, now: Date.parse(now) }).resolution.rule;
    expect(at('2026-09-15T23:59:00Z', 0)).toBe('hysteresis');
    expect(at('2026-09-16T00:01:00Z', 0)).toBe('priority');
    expect(at('2026-09-16T07:59:00Z', -28_800)).toBe('hysteresis');
    expect(at('2026-09-16T08:01:00Z', -28_800)).toBe('priority');
  });
});

describe('a total that is computed from samples', () => {
  const of = (sourceId: string, value: number) => row('withings', { sourceId, value });
  const counted = (sourceId: string, hour: number, value: number): IntradayRow => ({
    ...{ userId: 'usr_1', metric: 'steps_intraday', localDate: '2026-09-14', provider: 'withings', sourceId, recordId: null },
    samplesFrom: new Date(Date.UTC(2026, 8, 14, hour)),
    offsetsS: [0],
    values: [value],
    intervalS: 900,
  });
  const judged = (metric: string, a: number, b: number) =>
    judgeDaily(metric, [of('a', a), of('b', b)], undefined, { ...judging, intraday: [counted('a', 6, a), counted('b', 7, b)] });

  it('is shown instead of the picked row’s, which lends it everything else', () => {
    expect(judged('steps', 400, 500)).toMatchObject({
      computedValue: 900,
      content: { revision: 7, value: 900 },
      resolution: { rule: 'intraday', picked: { sourceId: 'a' }, derivation: 'computed', quarters: [{ count: 1 }, { count: 1 }] },
    });
  });

  it('is none where it would be impossible, or the metric is no total', () => {
    expect(judged('steps', 100_000, 100_000).computedValue).toBe(200_000);
    const impossible = judged('steps', 100_001, 100_000);
    expect(impossible.resolution.rule).toBe('priority');
    expect(impossible).not.toHaveProperty('computedValue');
    expect(judged('resting_heart_rate', 50, 60)).not.toHaveProperty('computedValue');
  });

  it('needs samples of days only on which one provider has several sources', () => {
    expect(seriesToRead('steps', [of('a', 1), of('b', 1), row('google')])).toBe('steps_intraday');
    expect(seriesToRead('steps', [of('a', 1), row('google')])).toBeUndefined();
    expect(seriesToRead('distance', [of('a', 1), of('b', 1)])).toBeUndefined();
  });
});

it('a session is judged with what stands near it, over the end of a month as well', () => {
  expect(daysAround('2026-03-01')).toEqual({
    judged: ['2026-02-28', '2026-03-01', '2026-03-02'],
    known: ['2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'],
  });
});
