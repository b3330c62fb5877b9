import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { HealthRecord } from '@tributary/domain';
import type { Document } from '../document-fields.js';
import { nowhere } from '../../testing/scripted-http.js';
import { activityRecords } from './activity-records.js';
import { dailyRecords, hrvRecords, skinTemperatureRecords, userMetricRecords } from './daily-records.js';
import { bodyRecords, pressureRecords } from './measurement-records.js';
import { newestOfEach } from './newest.js';
import { readSummaries } from './read-summaries.js';
import { sleepRecords } from './sleep-records.js';

const at = (time: string) => ({ now: Date.parse(time), whereabouts: nowhere });
const now = at('2027-01-01T00:00:00Z');
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

  it('reaches as far as it lasts, which tells a longer state from a shorter one, and is open while it is short', () => {
    const start = whole['startTimeInSeconds'] as number;
    const state = (durationInSeconds: number | undefined, time: string) => dailyRecords({ ...whole, durationInSeconds }, '', at(time))[0];
    expect(state(36_000, '2026-09-14T12:00:00Z')).toMatchObject({ coverageEnd: (start + 36_000) * 1000, provisional: true });
    expect(state(86_400, '2026-09-15T21:59:59Z')).toMatchObject({ coverageEnd: (start + 86_400) * 1000, provisional: true });
    expect(state(86_400, '2026-09-15T22:00:00Z')).toMatchObject({ provisional: false });
    // The watch was not heard of again: two days after what it told, nobody waits for it.
    expect(state(72_000, '2026-09-16T17:59:59Z')).toMatchObject({ provisional: true });
    expect(state(72_000, '2026-09-16T18:00:00Z')).toMatchObject({ provisional: false });
    expect(state(undefined, '2026-09-14T12:00:00Z')).toHaveProperty('coverageEnd', undefined);
  });

  it('P3: by a clock that no place shows is the day that its owner saw; by one that no watch can show it is not', () => {
    const on = (startTimeOffsetInSeconds: number) => {
      const { calendarDate: _label, ...bare } = whole;
      const record = dailyRecords({ ...bare, startTimeInSeconds: 1_772_389_200, startTimeOffsetInSeconds }, '', now)[0];
      return record?.kind === 'daily' ? [record.localDate, record.dateBasis] : [];
    };
    expect(on(-86_400)).toEqual(['2026-02-28', 'record_offset']);
    expect(on(90_000)).toEqual(['2026-03-01', 'utc_assumed']);
  });

  it('C127: null is not measured, 0 is', () => {
    expect(values(dailyRecords({ ...whole, steps: null }, '', now))).not.toHaveProperty('steps');
    expect(values(dailyRecords({ ...whole, steps: 0 }, '', now))).toHaveProperty('steps', 0);
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
    expect(drifts(() => dailyRecords({ ...whole, startTimeOffsetInSeconds: 'east' }, '[3].', now))).toBe(
      '[3].startTimeOffsetInSeconds is no number',
    );
    const samples = { timeOffsetHeartRateSamples: { '15': 'fast' } };
    expect(drifts(() => dailyRecords({ ...whole, ...samples }, '[3].', now))).toBe('[3].timeOffsetHeartRateSamples.15 is no number');
  });
});

describe('a night', () => {
  it('lasts for the time asleep and the time awake, with its stages in order', () => {
    const [night] = pushed('sleeps', 'sleeps');
    const [record, score, ...measured] = sleepRecords(night, '', now);
    expect(record).toMatchObject({
      kind: 'sleep',
      providerRecordId: 'src_garmin@2026-09-14T21:11Z',
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
    expect(values(measured)).toEqual({ respiratory_rate_night: 13.8, spo2_night_avg: 95.5, spo2_night_min: 95 });
    const own = sleepRecords({ ...night, respirationAvg: 14.2, avgOxygenSaturation: 97 }, '', now);
    expect(values(own)).toMatchObject({ respiratory_rate_night: 14.2, spo2_night_avg: 97, spo2_night_min: 95 });
  });

  it('that is tentative is provisional, and of which nothing was measured has no time asleep', () => {
    const [night] = pushed('sleeps-tentative', 'sleeps');
    const seen = (time: string) => sleepRecords(night, '', at(time))[0];
    expect(seen('2026-09-17T00:10:29Z')).toMatchObject({
      provisional: true,
      detail: { asleepS: null, deepS: null, remS: null, stages: [] },
    });
    // Those with several devices may wait for a final one for ever.
    expect(seen('2026-09-17T22:00:00Z')).toMatchObject({ provisional: false });
  });

  it('comes with its naps, each by its own clock', () => {
    const [night] = pushed('sleeps', 'sleeps');
    const nap = { napStartTimeInSeconds: 1_789_473_600, napDurationInSeconds: 2_700, napOffsetInSeconds: 7_200, napValidation: 'DEVICE' };
    const records = sleepRecords({ ...night, naps: [nap] }, '', now).filter((record) => record.kind === 'sleep');
    expect(records).toMatchObject([
      { detail: { isMain: true } },
      {
        providerRecordId: 'src_garmin@2026-09-15T12:00Z',
        localDate: '2026-09-15',
        dateBasis: 'record_offset',
        start: '2026-09-15T12:00:00.000Z',
        end: '2026-09-15T12:45:00.000Z',
        detail: { isMain: false, isNap: true, asleepS: 2_700, deepS: null, stages: [] },
      },
    ]);
    expect(drifts(() => sleepRecords({ ...night, naps: [{ ...nap, napDurationInSeconds: null }] }, 'p.', now))).toBe(
      'p.naps[0].napDurationInSeconds is out of any possible range',
    );
  });

  it('C134: grows, and is one night and the nap, whichever of its states come in one read', () => {
    const [night] = pushed('sleeps', 'sleeps');
    const begin = Date.parse('2026-09-14T20:40:00Z') / 1000;
    const state = (minutes: number, later = 0): Document => ({
      ...night,
      summaryId: `n-${minutes}`,
      startTimeInSeconds: begin + later * 60,
      durationInSeconds: minutes * 60 - 540,
      awakeDurationInSeconds: 540,
      validation: 'AUTO_TENTATIVE',
    });
    const nap: Document = { ...state(30), summaryId: 'nap', startTimeInSeconds: Date.parse('2026-09-15T12:00:00Z') / 1000 };
    // 22:40 to 23:55, 01:10, …, 06:20; the beginning of the last but one was moved by five minutes.
    const states = [state(75), state(150), state(240), state(330), state(400, 5), state(460), nap];
    const orders = [states, [...states].reverse(), [states[5], states[0], states[6], states[4], states[1], states[3], states[2]]];
    for (const order of orders) {
      const { records, faults } = readSummaries(
        'sleeps',
        (order as Document[]).map((summary, n) => [summary, `[${n}].`]),
        now,
      );
      expect(faults).toEqual([]);
      const sleeps = records.flatMap((r) => (r.kind === 'sleep' ? [`${r.start} ${r.end} ${r.providerRecordId}`] : []));
      expect(sleeps.sort()).toEqual([
        '2026-09-14T20:40:00.000Z 2026-09-15T04:20:00.000Z src_garmin@2026-09-14T20:40Z',
        '2026-09-15T12:00:00.000Z 2026-09-15T12:30:00.000Z src_garmin@2026-09-15T12:00Z',
      ]);
    }
  });

  it('gives its day the time slept, without naps', () => {
    const [night] = pushed('sleeps', 'sleeps');
    const nap = { napStartTimeInSeconds: 1_789_473_600, napDurationInSeconds: 2_700, napOffsetInSeconds: 7_200 };
    const { records } = readSummaries('sleeps', [[{ ...night, naps: [nap] }, '']], now);
    expect(records.filter((record) => record.kind === 'daily' && record.metric === 'sleep_duration')).toMatchObject([
      { value: 26_520, localDate: '2026-09-15', providerRecordId: 'sleeps/2026-09-15', inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  it('C124: REM has two names, of which the one of the wire goes first', () => {
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

  it('the activity that was cut, where the order of uploads is known; a repeat that comes late does not put the cut one back', () => {
    const [whole] = pushed('activities', 'activities');
    const summaries = [whole, { ...whole, durationInSeconds: 60 }].map((summary, n) => [summary, `[${n}].`] as const);
    const lengths = (order: 'uploaded' | 'arrived') =>
      newestOfEach('activities', summaries, order).map(([summary]) => summary['durationInSeconds']);
    expect(lengths('uploaded')).toEqual([60]);
    expect(lengths('arrived')).toEqual([whole?.['durationInSeconds']]);
  });
});

describe('the other summaries', () => {
  it('an activity', () => {
    expect(activityRecords(pushed('activities', 'activities')[0], '', now)).toMatchObject([
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
    const byMetric = (summary: Document) => Object.fromEntries(bodyRecords(summary, '', now).map(({ metric, value }) => [metric, value]));
    expect(byMetric(full)).toEqual({
      body_weight: 72.5,
      body_fat_percentage: 18.2,
      muscle_mass: 30.48,
      bone_mass: 2.437,
      body_water_mass: 41.615,
      bmi: 23.68,
    });
    expect(byMetric({ ...bare, bodyFatInPercent: 0, muscleMassInGrams: null })).toEqual({ body_weight: 72.4 });
    expect(bodyRecords(bare, '', now)).toMatchObject([{ dateBasis: 'utc_assumed', provisional: true, recordId: 'x3f0c1d5-6aa2c7e8' }]);
  });

  it('a blood pressure has both halves or is none', () => {
    const pressure = { summaryId: 'bp', measurementTimeInSeconds: 1_789_186_260, measurementTimeOffsetInSeconds: 0, sourceType: 'MANUAL' };
    expect(pressureRecords({ ...pressure, systolic: 121, diastolic: 79, pulse: 64 }, '', now)).toMatchObject([
      { metric: 'blood_pressure', parts: { systolic: 121, diastolic: 79, pulse: 64 }, manual: true, localDate: '2026-09-12' },
    ]);
    expect(pressureRecords({ ...pressure, systolic: 121, diastolic: null }, '', now)).toEqual([]);
  });

  it('values of the night and of the body', () => {
    const [hrv] = pushed('mixed-types', 'hrv');
    expect(hrvRecords(hrv, '', now)).toMatchObject([
      { metric: 'hrv_rmssd_night', value: 46, dayModel: 'night', localDate: '2026-09-15' },
      { kind: 'series', metric: 'hrv_rmssd', samples: { offsetsS: [300, 600], values: [35, 27] } },
    ]);
    const [fitness] = pushed('mixed-types', 'userMetrics');
    expect(userMetricRecords(fitness, '', now)).toMatchObject([{ metric: 'vo2max_estimate', value: 47 }]);
    expect(userMetricRecords({ ...fitness, vo2Max: null }, '', now)).toMatchObject([{ metric: 'vo2max_estimate', value: 50 }]);
    expect(skinTemperatureRecords({ ...hrv, avgDeviationCelsius: -0.42 }, '', now)).toMatchObject([
      { metric: 'skin_temperature_deviation', value: -0.42 },
    ]);
  });

  it('an event of several sports is its legs, and not the whole besides', () => {
    const [run] = pushed('activities', 'activities');
    expect(activityRecords({ ...run, isParent: true, activityType: 'MULTI_SPORT' }, '', now)).toEqual([]);
    const leg = activityRecords(
      { ...run, summaryId: '20417733902', parentSummaryId: '20417733901', activityType: 'LAP_SWIMMING' },
      '',
      now,
    );
    expect(leg).toMatchObject([{ providerRecordId: '20417733902', detail: { sport: 'swimming' } }]);
  });
});
