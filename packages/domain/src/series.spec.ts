import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Samples, changedSpan } from './series.js';

const samples = (offsetsS: readonly number[], values: readonly number[], changes: Partial<Samples> = {}): Samples => ({
  from: '2026-11-29T00:00:00.000Z',
  offsetsS,
  values,
  intervalS: undefined,
  ...changes,
});
const span = (from: string, to: string) => ({ from: `2026-11-29T${from}.000Z`, to: `2026-11-29T${to}.000Z` });

describe('from where to where a series changed', () => {
  it.each<[string, Samples | undefined, Samples, ReturnType<typeof changedSpan>]>([
    ['a new one: all of it', undefined, samples([60, 120], [70, 71]), span('00:01:00', '00:02:00')],
    ['the same samples: nowhere', samples([0, 60], [1, 2]), samples([0, 60], [1, 2]), undefined],
    [
      'the same samples counted from elsewhere: nowhere',
      samples([60], [1]),
      samples([0], [1], { from: '2026-11-29T00:01:00.000Z' }),
      undefined,
    ],
    ['one more at the end', samples([0, 60], [1, 2]), samples([0, 60, 120], [1, 2, 3]), span('00:02:00', '00:02:00')],
    ['one value', samples([0, 60, 120], [1, 2, 3]), samples([0, 60, 120], [1, 9, 3]), span('00:01:00', '00:01:00')],
    ['one that went', samples([0, 60, 120], [1, 2, 3]), samples([0, 120], [1, 3]), span('00:01:00', '00:01:00')],
    ['all went', samples([0, 60], [1, 2]), samples([], []), span('00:00:00', '00:01:00')],
    ['none before and after', undefined, samples([], []), undefined],
    [
      'another interval: each counts for something else',
      samples([0, 60], [1, 2], { intervalS: 60 }),
      samples([0, 60], [1, 2], { intervalS: 30 }),
      span('00:00:00', '00:01:00'),
    ],
  ])('%s', (_, before, after, expected) => {
    expect(changedSpan(before, after)).toEqual(expected);
  });

  it('outside the span both states are equal, and at its ends they differ', () => {
    const series = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 30 }).chain((offsets) =>
      fc.array(fc.integer({ min: 60, max: 62 }), { minLength: offsets.length, maxLength: offsets.length }).map((values) =>
        samples(
          [...offsets].sort((a, b) => a - b),
          values,
        ),
      ),
    );
    fc.assert(
      fc.property(series, series, (before, after) => {
        const at = (state: Samples, second: number) => state.values[state.offsetsS.indexOf(second)];
        const differing = Array.from({ length: 51 }, (_, second) => second).filter((second) => at(before, second) !== at(after, second));
        const found = changedSpan(before, after);
        const second = (instant: string | undefined) => instant && (Date.parse(instant) - Date.parse(before.from)) / 1000;
        expect([second(found?.from), second(found?.to)]).toEqual([differing[0], differing.at(-1)]);
      }),
    );
  });
});
