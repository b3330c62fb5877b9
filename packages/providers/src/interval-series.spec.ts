import { describe, expect, it } from '@jest/globals';
import { countsSeries, instantsSeries } from './interval-series.js';

const at = (time: string) => Date.parse(`2026-09-14T${time}Z`);

describe('counts over a day', () => {
  it('are by the minute where all are, and stand on whole minutes wherever the provider cut them', () => {
    const counts = [
      { ms: at('08:01:30'), durationS: 30, value: 4 },
      { ms: at('08:00:10'), durationS: 50, value: 7 },
      { ms: at('08:01:00'), durationS: 30, value: 2 },
    ];
    const series = { from: '2026-09-14T08:00:00.000Z', offsetsS: [0, 60], values: [7, 6], intervalS: 60 };
    expect(countsSeries(counts)).toEqual(series);
    // C042: three seconds later the same steps are the same series.
    expect(countsSeries(counts.map((count) => ({ ...count, ms: count.ms + 3_000 })))).toEqual(series);
  });

  it('are by the quarter of an hour where one is longer, and none at all where nobody knows when they were', () => {
    const quarter = { ms: at('08:00:00'), durationS: 900, value: 412 };
    expect(countsSeries([quarter, { ms: at('08:20:00'), durationS: 60, value: 8 }])).toEqual({
      from: '2026-09-14T08:00:00.000Z',
      offsetsS: [0, 900],
      values: [412, 8],
      intervalS: 900,
    });
    expect(countsSeries([quarter, { ms: at('09:00:00'), durationS: 3_600, value: 8 }])).toBeUndefined();
    expect(countsSeries([])).toBeUndefined();
  });

  it('of zero are counted', () => {
    expect(countsSeries([{ ms: at('08:00:00'), durationS: 60, value: 0 }])).toMatchObject({ values: [0] });
  });
});

describe('samples of instants', () => {
  it('rise by the second, of which each has one: the later', () => {
    const samples = [
      { ms: at('10:00:05') + 900, value: 61 },
      { ms: at('10:00:00') + 500, value: 60 },
      { ms: at('10:00:05') + 100, value: 99 },
    ];
    expect(instantsSeries(samples)).toEqual({ from: '2026-09-14T10:00:00.000Z', offsetsS: [0, 5], values: [60, 61], intervalS: undefined });
    expect(instantsSeries([])).toBeUndefined();
  });
});
