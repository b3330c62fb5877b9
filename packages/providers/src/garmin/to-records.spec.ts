import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { HealthRecord } from '@tributary/domain';
import type { Document } from '../document-fields.js';
import { dailyRecords, hrvRecords, pulseOxRecords, skinTemperatureRecords, userMetricRecords } from './daily-records.js';
import { bodyRecords, pressureRecords } from './measurement-records.js';
import { newestOfEach } from './newest.js';
import { activityRecords, sleepRecords } from './session-records.js';

const now = Date.parse('2027-01-01T00:00:00Z');
const pushed = (name: string, key: string) =>
  (
    JSON.parse(readFileSync(new URL(`./fixtures/garmin-webhook-push-${name}.json`, import.meta.url)).toString()) as Record<
      string,
      Document[]
    >
  )[key] as [Document, Document];
const values = (records: readonly HealthRecord[]) =>
  Object.fromEntries(records.flatMap((record) => (record.kind === 'daily' ? [[record.metric, record.value]] : [])));
const drifts = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no drift';
};

describe('a day', () => {
  const [whole, part] = pushed('dailies', 'dailies');

  it('is all that Garmin says of it, in our units', () => {
    const records = dailyRecords(whole, '', now);
    expect(values(records)).toEqual({
      steps: 11342,
      distance: 8740,
      active_energy: 611,
      basal_energy: 1644,
      total_energy: 2255,
      floors_climbed: 8,
      active_duration: 14760,
      moderate_activity_duration: 840,
      vigorous_activity_duration: 1860,
      resting_heart_rate: 52,
      heart_rate_min: 47,
      heart_rate_max: 171,
      'vendor.garmin.stress_avg': 29,
      'vendor.garmin.stress_max': 93,
      'vendor.garmin.body_battery_charged': 61,
      'vendor.garmin.body_battery_drained': 58,
    });
    for (const record of records) {
      expect(record).toMatchObject({
        localDate: '2026-09-14',
        dateBasis: 'provider_date',
        utcOffsetS: 7200,
        provisional: false,
        version: undefined,
      });
    }
    expect(records.at(-1)).toMatchObject({
      kind: 'series',
      metric: 'heart_rate',
      samples: { from: '2026-09-13T22:00:00.000Z', offsetsS: [15, 30, 3180, 65400], values: [58, 57, 49, 148] },
    });
  });

  it('keeps its name while its own id grows with it', () => {
    const names = [whole, { ...whole, summaryId: 'x3f0c1d5-6aa5d2f0-5460-6' }].map((day) => dailyRecords(day, '', now)[0]);
    expect(names.map((record) => (record as { providerRecordId: string }).providerRecordId)).toEqual([
      'dailies/2026-09-14',
      'dailies/2026-09-14',
    ]);
  });

  it('without a date is dated by the watch, and codes below zero are no values', () => {
    const records = dailyRecords({ ...part, averageStressLevel: -1, maxStressLevel: -2, steps: -1 }, '', now);
    expect(records[0]).toMatchObject({ localDate: '2026-09-14', dateBasis: 'record_offset', utcOffsetS: -14_400 });
    expect(Object.keys(values(records))).not.toEqual(expect.arrayContaining(['steps']));
    expect(Object.keys(values(records)).filter((name) => name.startsWith('vendor'))).toEqual([]);
    expect(records.some(({ kind }) => kind === 'series')).toBe(false);
  });

  it('anything else is drift that names the path and no value', () => {
    expect(drifts(() => dailyRecords({ ...whole, steps: '11342' }, '[3].', now))).toBe('[3].steps is no number');
    expect(drifts(() => dailyRecords({ ...whole, steps: 300_000 }, '[3].', now))).toBe('[3].steps is out of any possible range');
    expect(drifts(() => dailyRecords({ ...whole, calendarDate: '2026-02-30' }, '[3].', now))).toBe('[3].calendarDate is no civil day');
    expect(drifts(() => dailyRecords({ ...whole, startTimeInSeconds: null }, '[3].', now))).toBe(
      '[3].startTimeInSeconds is no time in seconds',
    );
    expect(drifts(() => dailyRecords({ ...whole, summaryId: '' }, '[3].', now))).toBe('[3].summaryId is no text');
    expect(drifts(() => dailyRecords({ ...whole, startTimeOffsetInSeconds: 90_000 }, '[3].', now))).toBe(
      '[3].startTimeOffsetInSeconds is no offset',
    );
    const samples = { timeOffsetHeartRateSamples: { '15': 'fast' } };
    expect(drifts(() => dailyRecords({ ...whole, ...samples }, '[3].', now))).toBe('[3].timeOffsetHeartRateSamples.15 is no number');
  });
});

describe('a night', () => {
  it('lasts for the time asleep and the time awake, with its stages in order', () => {
    const [night] = pushed('sleeps', 'sleeps');
    const [record, score] = sleepRecords(night, '', now);
    expect(record).toMatchObject({
      kind: 'sleep',
      providerRecordId: 'sleeps/1789420230',
      localDate: '2026-09-15',
      dateBasis: 'provider_date',
      start: '2026-09-14T21:10:30.000Z',
      end: '2026-09-15T04:41:30.000Z',
      provisional: false,
      detail: { inBedS: 27060, asleepS: 26520, awakeS: 540, lightS: 15480, deepS: 4860, remS: 6180, efficiencyPct: 98 },
    });
    const runs = record?.kind === 'sleep' ? record.detail.stages : [];
    expect(runs.map(({ stage }) => stage)).toEqual(['awake', 'light', 'deep', 'light', 'rem']);
    expect(runs.at(-1)?.end).toBe('2026-09-15T04:41:30.000Z');
    expect(score).toMatchObject({ metric: 'vendor.garmin.sleep_score', value: 81, localDate: '2026-09-15' });
  });

  it('that is tentative is provisional, and of which nothing was measured has no time asleep', () => {
    const [night] = pushed('sleeps-tentative', 'sleeps');
    const at = (time: string) => sleepRecords(night, '', Date.parse(time))[0];
    expect(at('2026-09-17T00:10:29Z')).toMatchObject({ provisional: true, detail: { asleepS: null, deepS: null, remS: null, stages: [] } });
    // Those with several devices may wait for a final one for ever.
    expect(at('2026-09-17T22:00:00Z')).toMatchObject({ provisional: false });
  });

  it('REM has two names, of which the one of the wire goes first', () => {
    const [night] = pushed('sleeps', 'sleeps');
    const rem = (fields: object) => {
      const record = sleepRecords({ ...night, ...fields }, '', now)[0];
      return record?.kind === 'sleep' ? record.detail.remS : undefined;
    };
    expect(rem({ remSleepInSeconds: undefined, remSleepDurationInSeconds: 60 })).toBe(60);
    expect(rem({ remSleepInSeconds: 120, remSleepDurationInSeconds: 60 })).toBe(120);
  });
});

describe('which of several states of one thing counts', () => {
  const winner = (collection: Parameters<typeof newestOfEach>[0], ...summaries: Document[]) =>
    newestOfEach(
      collection,
      summaries.map((summary, n) => [summary, `[${n}].`] as const),
    ).map(([summary]) => summary['validation'] ?? (collection === 'activities' ? summary['activityType'] : summary['steps']));

  it('the longer day, in whatever order they came; of two alike the later one', () => {
    const [whole] = pushed('dailies', 'dailies');
    const [short, long] = [
      { ...whole, durationInSeconds: 3600, steps: 1 },
      { ...whole, durationInSeconds: 7200, steps: 2 },
    ];
    expect(winner('dailies', short, long)).toEqual([2]);
    expect(winner('dailies', long, short)).toEqual([2]);
    expect(winner('dailies', long, { ...long, steps: 3 })).toEqual([3]);
    expect(winner('dailies', long, { ...short, startTimeInSeconds: 1 })).toEqual([2, 1]);
  });

  it('the night that Garmin has finished with, though another may be longer', () => {
    const [final] = pushed('sleeps', 'sleeps');
    const tentative = { ...final, validation: 'AUTO_TENTATIVE', durationInSeconds: 99_999 };
    expect(winner('sleeps', final, tentative)).toEqual(['ENHANCED_FINAL']);
    expect(winner('sleeps', tentative, final)).toEqual(['ENHANCED_FINAL']);
    expect(winner('sleeps', { ...final, validation: 'AUTO_FINAL' }, { ...final, validation: 'ENHANCED_TENTATIVE' })).toEqual([
      'AUTO_FINAL',
    ]);
  });

  it('the activity as it was edited', () => {
    const [run] = pushed('activities', 'activities');
    const [edited] = pushed('manually-updated', 'manuallyUpdatedActivities');
    expect(winner('activities', run, edited)).toEqual(['TRAIL_RUNNING']);
  });
});

describe('the other summaries', () => {
  it('an activity', () => {
    expect(activityRecords(pushed('activities', 'activities')[0], '')).toMatchObject([
      {
        kind: 'workout',
        providerRecordId: '20417733901',
        localDate: '2026-09-14',
        dateBasis: 'record_offset',
        source: { id: 'src_garmin', model: 'forerunner265' },
        start: '2026-09-14T16:10:00.000Z',
        end: '2026-09-14T16:41:04.000Z',
        detail: {
          sport: 'running',
          providerSport: 'RUNNING',
          elapsedS: 1864,
          distanceM: 5020,
          elevationGainM: 21.3,
          activeEnergyKcal: 318,
          totalEnergyKcal: null,
          hrAvg: 148,
          hrMax: 171,
          cadenceAvg: 158.2,
          steps: 4870,
          manual: false,
          hasRoute: true,
        },
      },
    ]);
  });

  it('a weighing, in grams and percent; what the scale did not measure is not there', () => {
    const [full, bare] = pushed('bodycomps', 'bodyComps');
    const byMetric = (summary: Document) => Object.fromEntries(bodyRecords(summary, '').map(({ metric, value }) => [metric, value]));
    expect(byMetric(full)).toEqual({
      body_weight: 72.5,
      body_fat_percentage: 18.2,
      muscle_mass: 30.48,
      bone_mass: 2.437,
      body_water_mass: 41.615,
      bmi: 23.68,
    });
    expect(byMetric({ ...bare, bodyFatInPercent: 0, muscleMassInGrams: null })).toEqual({ body_weight: 72.4 });
    expect(bodyRecords(bare, '')).toMatchObject([{ dateBasis: 'utc_assumed', provisional: true, recordId: 'x3f0c1d5-6aa2c7e8' }]);
  });

  it('a blood pressure has both halves or is none', () => {
    const pressure = { summaryId: 'bp', measurementTimeInSeconds: 1_789_186_260, measurementTimeOffsetInSeconds: 0, sourceType: 'MANUAL' };
    expect(pressureRecords({ ...pressure, systolic: 121, diastolic: 79, pulse: 64 }, '')).toMatchObject([
      { metric: 'blood_pressure', parts: { systolic: 121, diastolic: 79, pulse: 64 }, manual: true, localDate: '2026-09-12' },
    ]);
    expect(pressureRecords({ ...pressure, systolic: 121, diastolic: null }, '')).toEqual([]);
  });

  it('values of the night and of the body', () => {
    const [hrv] = pushed('mixed-types', 'hrv');
    expect(hrvRecords(hrv, '', now)).toMatchObject([
      { metric: 'hrv_rmssd_night', value: 46, dayModel: 'night', localDate: '2026-09-15' },
      { kind: 'series', metric: 'hrv_rmssd', samples: { offsetsS: [300, 600], values: [35, 27] } },
    ]);
    expect(userMetricRecords(pushed('mixed-types', 'userMetrics')[0], '', now)).toMatchObject([{ metric: 'vo2max_estimate', value: 47 }]);
    expect(skinTemperatureRecords({ ...hrv, avgDeviationCelsius: -0.42 }, '', now)).toMatchObject([
      { metric: 'skin_temperature_deviation', value: -0.42 },
    ]);
  });

  it('oxygen by the day is a series; that on demand is a measurement, and does not take its place', () => {
    const [continuous, onDemand] = pushed('mixed-types', 'pulseox');
    expect(pulseOxRecords(continuous, '', now)).toMatchObject([
      { kind: 'series', metric: 'spo2', samples: { offsetsS: [60], values: [97] } },
    ]);
    expect(pulseOxRecords(onDemand, '', now)).toMatchObject([
      { kind: 'measurement', metric: 'spo2', value: 92, instant: '2026-09-14T13:28:00.000Z' },
    ]);
  });
});
