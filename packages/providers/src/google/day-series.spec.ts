import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { nowhere } from '../../testing/scripted-http.js';
import type { Document } from '../document-fields.js';
import { sampledDays, stretchedDays } from './day-series.js';

const points = (name: string) =>
  (JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url)).toString()) as { dataPoints: Document[] }).dataPoints;
const seenAt = (time: string) => ({ now: Date.parse(time), whereabouts: nowhere });
const long = seenAt('2027-01-01T00:00:00Z');

describe('series of a day', () => {
  const all = { from: '2000-01-01', to: '2100-01-01' };
  const listed = (points: readonly unknown[]) => points.map((value, n) => ({ value, at: `[${n}].` }));
  const beats = (points: readonly unknown[], read = long, days = all) => sampledDays('heart-rate', listed(points), { read, days });
  const beat = (physicalTime: string, beatsPerMinute: unknown, utcOffset = '0s') => ({
    heartRate: { sampleTime: { physicalTime, utcOffset }, beatsPerMinute },
  });

  it('heart beats become one series for each day of the person’s own clock', () => {
    const reversed = [...points('google-api-heart-rate-list')].reverse();
    expect(beats(reversed).records).toMatchObject([
      {
        localDate: '2026-09-15',
        samples: { from: '2026-09-14T22:03:10.000Z', offsetsS: [0], values: [55] },
        source: { id: 'src_google_fitbit' },
      },
      { localDate: '2026-09-14', samples: { from: '2026-09-14T21:58:10.000Z', offsetsS: [0], values: [58] }, provisional: false },
    ]);
    expect(beats(reversed, long, { from: '2026-09-15', to: '2026-09-16' }).records).toMatchObject([{ localDate: '2026-09-15' }]);
  });

  it('rise by the second, of which each has one, and leave out what no heart does', () => {
    const points = [
      beat('2026-09-14T10:00:05.900Z', '61'),
      beat('2026-09-14T10:00:00.500Z', '60'),
      beat('2026-09-14T10:00:05.100Z', '99'),
      beat('2026-09-14T10:00:07Z', '0'),
      beat('2026-09-14T10:00:08Z', null),
    ];
    const [series] = beats(points, seenAt('2026-09-14T11:00:00Z')).records;
    expect(series).toMatchObject({
      samples: { from: '2026-09-14T10:00:00.000Z', offsetsS: [0, 5], values: [60, 61] },
      provisional: true,
      coverageEnd: Date.parse('2026-09-14T10:00:05.900Z'),
      inputHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('C057: of 25 hours have the hour that comes twice twice, and lose nothing to the days beside them', () => {
    const points = [
      beat('2026-10-24T21:59:59Z', '50', '7200s'),
      beat('2026-10-24T22:00:00Z', '51', '7200s'),
      // 02:30 by the clock, before and after it was put back.
      beat('2026-10-25T00:30:00Z', '52', '7200s'),
      beat('2026-10-25T01:30:00Z', '53', '3600s'),
      beat('2026-10-25T22:59:59Z', '54', '3600s'),
      beat('2026-10-25T23:00:00Z', '55', '3600s'),
    ];
    const days = beats(points).records.map((r) => (r.kind === 'series' ? [r.localDate, r.samples.offsetsS, r.samples.values] : []));
    expect(days).toEqual([
      ['2026-10-24', [0], [50]],
      ['2026-10-25', [0, 9_000, 12_600, 89_999], [51, 52, 53, 54]],
      ['2026-10-26', [0], [55]],
    ]);
  });

  it('a sample that cannot be read takes all of them with it, as its day is not known', () => {
    expect(beats([beat('2026-09-14T10:00:00Z', '60'), beat('yesterday', '60'), 'private'])).toEqual({
      records: [],
      faults: ['[1].heartRate.sampleTime.physicalTime is no instant', '[2] is no object'],
    });
  });

  it('variability and oxygen, in their own units', () => {
    const sampleTime = { physicalTime: '2026-09-14T02:00:00Z', utcOffset: '7200s' };
    const variability = { heartRateVariability: { sampleTime, rootMeanSquareOfSuccessiveDifferencesMilliseconds: 46.23 } };
    expect(sampledDays('heart-rate-variability', listed([variability]), { read: long, days: all }).records).toMatchObject([
      { metric: 'hrv_rmssd', samples: { values: [46.2] } },
    ]);
    const oxygen = { oxygenSaturation: { sampleTime, percentage: 96.44 } };
    expect(sampledDays('oxygen-saturation', listed([oxygen]), { read: long, days: all }).records).toMatchObject([
      { metric: 'spo2', samples: { values: [96.4] } },
    ]);
  });

  it('steps are of each source by itself, on the day on which they began, and never the total', () => {
    const { records } = stretchedDays('steps', listed(points('google-api-steps-list')), { read: long, days: all });
    expect(records).toMatchObject([
      { kind: 'series', metric: 'steps_intraday', source: { id: 'src_google_fitbit' }, samples: { values: [412], intervalS: 900 } },
      { source: { id: 'src_google_health_connect_phone', type: 'phone' }, samples: { from: '2026-09-14T06:00:00.000Z', values: [398] } },
    ]);
    const late = { startTime: '2026-09-14T21:50:00Z', startUtcOffset: '7200s', endTime: '2026-09-14T22:04:00Z', endUtcOffset: '7200s' };
    const over = stretchedDays('steps', listed([{ steps: { interval: late, count: '30' } }]), { read: long, days: all }).records;
    expect(over).toMatchObject([{ localDate: '2026-09-14', coverageEnd: Date.parse('2026-09-14T22:04:00Z') }]);
  });

  it('what the body burns at rest is the sum of its stretches', () => {
    const at = (hour: number, kcal: number) => ({
      basalEnergyBurned: {
        interval: {
          startTime: `2026-09-14T0${hour}:00:00Z`,
          startUtcOffset: '0s',
          endTime: `2026-09-14T0${hour + 1}:00:00Z`,
          endUtcOffset: '0s',
        },
        kcal,
      },
    });
    expect(stretchedDays('basal-energy-burned', listed([at(1, 70.26), at(2, 69.5)]), { read: long, days: all }).records).toMatchObject([
      { kind: 'daily', metric: 'basal_energy', value: 139.8, localDate: '2026-09-14' },
    ]);
    expect(stretchedDays('basal-energy-burned', listed([at(1, -1)]), { read: long, days: all }).faults).toEqual([
      '[0].basalEnergyBurned.kcal is negative',
    ]);
  });
});
