import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { nowhere } from '../../testing/scripted-http.js';
import type { Document } from '../document-fields.js';
import { type PartCollection, seriesOfDays } from './day-series.js';

const now = { now: Date.parse('2027-01-01T00:00:00Z'), whereabouts: nowhere };
const pushed = (name: string, key: string) =>
  (
    JSON.parse(readFileSync(new URL(`./fixtures/garmin-webhook-push-${name}.json`, import.meta.url)).toString()) as Record<
      string,
      Document[]
    >
  )[key] as [Document, Document];

describe('series of whole days', () => {
  const series = (collection: PartCollection, ...summaries: Document[]) =>
    seriesOfDays(
      collection,
      summaries.map((summary, n) => [summary, `[${n}].`]),
      now,
    );

  it('oxygen by the day is a series; that on demand is a measurement, and does not take its place', () => {
    const { records } = series('pulseox', ...pushed('mixed-types', 'pulseox'));
    expect(records).toMatchObject([
      { kind: 'series', metric: 'spo2', localDate: '2026-09-14', samples: { offsetsS: [0], values: [97] } },
      { kind: 'measurement', metric: 'spo2', value: 92, instant: '2026-09-14T13:28:00.000Z' },
    ]);
  });

  it('C071: codes below zero are gaps in the series and no values', () => {
    const { records } = series('stressDetails', pushed('mixed-types', 'stressDetails')[0]);
    expect(records).toMatchObject([
      { metric: 'vendor.garmin.stress', samples: { from: '2026-09-13T22:00:00.000Z', offsetsS: [0, 540], values: [21, 47] } },
      { metric: 'vendor.garmin.body_battery', samples: { offsetsS: [0, 180, 360], values: [61, 62, 64] } },
    ]);
  });

  it('C129: holes are gaps, and no zeros', () => {
    const [part] = pushed('mixed-types', 'allDayRespiration');
    const holes = { ...part, timeOffsetEpochToBreaths: { '0': null, '60': 14, '120': null, '180': 13 } };
    expect(series('allDayRespiration', holes).records).toMatchObject([{ samples: { offsetsS: [0, 120], values: [14, 13] } }]);
    expect(series('allDayRespiration', { ...part, timeOffsetEpochToBreaths: null }).records).toEqual([]);
  });

  it('quarters of an hour of breathing become their day, one replaceable series', () => {
    const [part] = pushed('mixed-types', 'allDayRespiration');
    const next = {
      ...part,
      summaryId: 'next',
      startTimeInSeconds: 1_789_337_700,
      timeOffsetEpochToBreaths: { '0': 13, '60': -1, '120': 12 },
    };
    const tomorrow = { ...part, summaryId: 'late', startTimeInSeconds: 1_789_336_800 + 86_400 };
    const days = series('allDayRespiration', next, part, tomorrow).records;
    expect(days).toMatchObject([
      {
        metric: 'respiratory_rate',
        localDate: '2026-09-14',
        providerRecordId: 'respiratory_rate/2026-09-14',
        coverageEnd: Date.parse('2026-09-13T22:17:00Z'),
        samples: { from: '2026-09-13T22:00:00.000Z', offsetsS: [0, 60, 900, 1_020], values: [15.1, 14.9, 13, 12] },
      },
      { metric: 'respiratory_rate', localDate: '2026-09-15' },
    ]);
    expect(series('allDayRespiration', part, next, tomorrow).records[0]).toHaveProperty(
      'samples',
      (days[0] as { samples: object }).samples,
    );
  });

  it('steps of all kinds of moving within a quarter of an hour add up, and a longer state takes the place of a shorter', () => {
    const [walking, sitting] = pushed('epochs', 'epochs');
    const steps = (...summaries: Document[]) => {
      const [record] = series('epochs', ...summaries).records;
      return record?.kind === 'series' ? record.samples : record;
    };
    // 18:58 by the clock, and so counted in the quarter in which it began.
    const quarter = { from: '2026-09-14T15:30:00.000Z', offsetsS: [0], values: [118], intervalS: 900 };
    expect(steps(walking, sitting)).toEqual(quarter);
    expect(steps({ ...walking, durationInSeconds: 300, steps: 40 }, sitting, walking)).toEqual(quarter);
    expect(steps(walking, { ...walking, durationInSeconds: 300, steps: 40 })).toEqual(quarter);
    expect(steps(walking, { ...sitting, steps: 7 })).toMatchObject({ values: [125] });
  });

  it('a part that cannot be read takes its day with it; one that does not say its day takes all', () => {
    const [part] = pushed('mixed-types', 'allDayRespiration');
    const bad = { ...part, timeOffsetEpochToBreaths: { '0': 'deep' } };
    const other = { ...part, startTimeInSeconds: 1_789_336_800 + 86_400 };
    expect(series('allDayRespiration', part, bad, other)).toMatchObject({
      records: [{ localDate: '2026-09-15' }],
      faults: ['[1].timeOffsetEpochToBreaths.0 is no number'],
    });
    expect(series('allDayRespiration', part, { ...part, startTimeOffsetInSeconds: null }, other)).toEqual({
      records: [],
      faults: ['[1].startTimeOffsetInSeconds is missing'],
    });
  });
});
