import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Document } from '../document-fields.js';
import { nowhere } from '../../testing/scripted-http.js';
import { rollupRecords, summaryRecords } from './daily-records.js';
import { measurementRecords } from './sample-records.js';
import { sleepRecord, workoutRecord } from './session-records.js';

const points = (name: string) =>
  (JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url)).toString()) as { dataPoints: Document[] }).dataPoints;
const first = (name: string) => structuredClone(points(name)[0]) as Record<string, Record<string, never>>;
const seenAt = (time: string) => ({ now: Date.parse(time), whereabouts: nowhere });
const long = seenAt('2027-01-01T00:00:00Z');
const day = (value: object) => ({ civilStartTime: { date: { year: 2026, month: 9, day: 14 }, time: {} }, ...value });
const rolled = (collection: Parameters<typeof rollupRecords>[0], value: object, now = long) =>
  rollupRecords(collection, day(value), 'p.', now);
const drifts = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no drift';
};

describe('totals of a civil day', () => {
  it('C068, C072: come in Google’s units, as text or as numbers', () => {
    expect(rolled('steps', { steps: { countSum: '11342' } })).toMatchObject([{ metric: 'steps', value: 11342, localDate: '2026-09-14' }]);
    expect(rolled('distance', { distance: { millimetersSum: '3146500' } })).toMatchObject([{ metric: 'distance', value: 3146.5 }]);
    expect(rolled('total-calories', { totalCalories: { kcalSum: 2200.44 } })).toMatchObject([{ metric: 'total_energy', value: 2200.4 }]);
    expect(rolled('floors', { floors: { countSum: '8' } })).toMatchObject([{ metric: 'floors_climbed', value: 8 }]);
    expect(rolled('altitude', { altitude: { gainMillimetersSum: '21300' } })).toMatchObject([{ metric: 'elevation_gain', value: 21.3 }]);
    expect(rolled('active-energy-burned', { activeEnergyBurned: { kcalSum: 611.04 } })).toMatchObject([
      { metric: 'active_energy', value: 611 },
    ]);
    expect(rolled('sedentary-period', { sedentaryPeriod: { durationSum: '36000s' } })).toMatchObject([
      { metric: 'sedentary_duration', value: 36_000 },
    ]);
    const zones = { sumInFatBurnHeartZone: '20', sumInCardioHeartZone: '12' };
    expect(rolled('active-zone-minutes', { activeZoneMinutes: zones })).toMatchObject([
      { metric: 'vendor.google.active_zone_minutes', value: 32 },
    ]);
    const heart = { beatsPerMinuteAvg: 62.44, beatsPerMinuteMax: 171, beatsPerMinuteMin: 47 };
    expect(rolled('heart-rate', { heartRate: heart }).map(({ metric, value }) => [metric, value])).toEqual([
      ['heart_rate_avg', 62.4],
      ['heart_rate_min', 47],
      ['heart_rate_max', 171],
    ]);
  });

  it('C127: a zero is a value, and nothing is none', () => {
    expect(rolled('steps', { steps: { countSum: '0' } })).toMatchObject([{ value: 0 }]);
    for (const none of [{}, { steps: null }, { steps: {} }, { steps: { countSum: null } }]) expect(rolled('steps', none)).toEqual([]);
  });

  it('minutes by level become seconds, and their sum the time active', () => {
    const levels = [
      { activityLevel: 'LIGHT', activeMinutesSum: '120' },
      { activityLevel: 'VIGOROUS', activeMinutesSum: '10' },
      { activityLevel: 'TO_COME', activeMinutesSum: '5' },
    ];
    const records = rolled('active-minutes', { activeMinutes: { activeMinutesRollupByActivityLevel: levels } });
    expect(records.map(({ metric, value }) => [metric, value])).toEqual([
      ['light_activity_duration', 7200],
      ['vigorous_activity_duration', 600],
      ['active_duration', 7800],
    ]);
    expect(rolled('active-minutes', { activeMinutes: {} })).toEqual([]);
  });

  it('are provisional until the day has been over for a day everywhere', () => {
    const provisional = (now: string) => rolled('steps', { steps: { countSum: '1' } }, seenAt(now))[0]?.provisional;
    expect(provisional('2026-09-16T11:59:59Z')).toBe(true);
    expect(provisional('2026-09-16T12:00:00Z')).toBe(false);
  });

  it('anything else is drift that names the path and no value', () => {
    expect(drifts(() => rolled('steps', { steps: { countSum: 'many' } }))).toBe('p.steps.countSum is no number');
    expect(drifts(() => rolled('steps', { steps: { countSum: '200001' } }))).toBe('p.steps.countSum is out of any possible range');
    expect(drifts(() => rolled('steps', { steps: { countSum: '-1' } }))).toBe('p.steps.countSum is out of any possible range');
    expect(drifts(() => rolled('steps', { steps: [1] }))).toBe('p.steps is no object');
    expect(drifts(() => rollupRecords('steps', { steps: {} }, 'p.', long))).toBe('p.civilStartTime is no object');
    const noDay = { civilStartTime: { date: { year: 2026, month: 2, day: 30 } } };
    expect(drifts(() => rollupRecords('steps', noDay, 'p.', long))).toBe('p.civilStartTime.date is no civil day');
  });
});

describe('summaries of a day', () => {
  it('keep the platforms apart that each have one of the same day', () => {
    const [fitbit] = points('google-api-daily-resting-heart-rate') as [Document];
    const other = { ...fitbit, dataSource: { platform: 'HEALTH_CONNECT', device: { formFactor: 'PHONE', manufacturer: 'Examplephone' } } };
    const records = [fitbit, other].flatMap((point) => summaryRecords('daily-resting-heart-rate', point, 'p.', long));
    expect(records).toMatchObject([
      { metric: 'resting_heart_rate', value: 57, localDate: '2026-09-14', dateBasis: 'provider_date', source: { id: 'src_google_fitbit' } },
      { value: 57, source: { id: 'src_google_health_connect_phone', type: 'phone', manufacturer: 'Examplephone' } },
    ]);
    expect(new Set(records.map(({ providerRecordId }) => providerRecordId)).size).toBe(2);
  });

  it('of the night belong to the night', () => {
    const date = { year: 2026, month: 9, day: 15 };
    expect(
      summaryRecords(
        'daily-oxygen-saturation',
        { dailyOxygenSaturation: { date, averagePercentage: 96.44, lowerBoundPercentage: 91 } },
        '',
        long,
      ),
    ).toMatchObject([
      { metric: 'spo2_night_avg', value: 96.4, dayModel: 'night', localDate: '2026-09-15', source: { id: 'src_google_unknown' } },
      { metric: 'spo2_night_min', value: 91 },
    ]);
    const variability = { dailyHeartRateVariability: { date, averageHeartRateVariabilityMilliseconds: 46.23 } };
    expect(summaryRecords('daily-heart-rate-variability', variability, '', long)).toMatchObject([
      { metric: 'hrv_rmssd_night', value: 46.2 },
    ]);
    const temperature = { date, nightlyTemperatureCelsius: 33.42, baselineTemperatureCelsius: 33.9 };
    expect(
      summaryRecords('daily-sleep-temperature-derivations', { dailySleepTemperatureDerivations: temperature }, '', long),
    ).toMatchObject([
      { metric: 'skin_temperature_night', value: 33.42, dayModel: 'night' },
      { metric: 'skin_temperature_deviation', value: -0.48 },
    ]);
    expect(summaryRecords('daily-vo2-max', { dailyVo2Max: { date, vo2Max: 43.21 } }, '', long)).toMatchObject([
      { metric: 'vo2max_estimate', value: 43.2, dayModel: 'civil' },
    ]);
    expect(summaryRecords('daily-respiratory-rate', { dailyRespiratoryRate: { date, breathsPerMinute: 14 } }, '', long)).toMatchObject([
      { metric: 'respiratory_rate_night', value: 14 },
    ]);
  });
});

describe('a sleep', () => {
  it('belongs to the day of waking on the person’s own clock, and has the version that Google gives', () => {
    expect(sleepRecord(first('google-api-sleep-list-v2-staged'), 'p.', long)).toMatchObject({
      kind: 'sleep',
      // Not the whole name, of which the person's id is a part.
      providerRecordId: '50110784421',
      localDate: '2026-09-15',
      dateBasis: 'record_offset',
      utcOffsetS: 7200,
      endUtcOffsetS: 7200,
      version: Date.parse('2026-09-15T04:58:40Z') * 1000,
      provisional: false,
      start: '2026-09-14T21:10:30.000Z',
      end: '2026-09-15T04:41:30.000Z',
      source: { id: 'src_google_fitbit', model: 'Charge 6' },
      detail: {
        isMain: true,
        isNap: false,
        inBedS: 27060,
        asleepS: 26520,
        awakeS: 540,
        lightS: 22260,
        deepS: 2400,
        remS: 1800,
        latencyS: null,
        efficiencyPct: 98,
      },
    });
    const { stages } = sleepRecord(first('google-api-sleep-list-v2-staged'), '', long).detail;
    expect(stages.map(({ stage }) => stage)).toEqual(['awake', 'light', 'deep', 'light', 'rem']);
    expect(stages[4]).toEqual({ start: '2026-09-15T04:11:30.000Z', end: '2026-09-15T04:41:30.000Z', stage: 'rem' });
  });

  it('without stages has none measured, not none of each', () => {
    const point = first('google-api-sleep-list-v2-staged');
    Object.assign(point['sleep'] as object, {
      stages: [{ startTime: '2026-09-14T21:10:30Z', endTime: '2026-09-15T04:41:30Z', type: 'RESTLESS' }],
      summary: { minutesAsleep: '442', stagesSummary: [{ type: 'ASLEEP', minutes: '430' }] },
      metadata: { nap: true, processed: false },
    });
    const record = sleepRecord(point, '', long);
    expect(record.provisional).toBe(true);
    expect(record.detail).toMatchObject({
      isMain: false,
      isNap: true,
      lightS: null,
      deepS: null,
      remS: null,
      inBedS: null,
      efficiencyPct: null,
    });
    expect(record.detail.stages).toMatchObject([{ stage: 'restless' }]);
  });

  it('ends on the day that its own clock shows, across midnight and west of it', () => {
    const at = (endTime: string, endUtcOffset: string | undefined) => {
      const point = first('google-api-sleep-list-v2-staged');
      Object.assign((point['sleep'] as Record<string, object>)['interval'] as object, { endTime, endUtcOffset });
      const { localDate, dateBasis, provisional } = sleepRecord(point, '', long);
      return [localDate, dateBasis, provisional];
    };
    expect(at('2026-09-15T03:30:00Z', '-12600s')).toEqual(['2026-09-15', 'record_offset', false]);
    expect(at('2026-09-15T03:29:59Z', '-12600s')).toEqual(['2026-09-14', 'record_offset', false]);
    expect(at('2026-09-15T04:00:00Z', undefined)).toEqual(['2026-09-15', 'utc_assumed', true]);
  });

  it('anything else is drift', () => {
    const changed = (fields: object) => drifts(() => sleepRecord({ ...first('google-api-sleep-list-v2-staged'), ...fields }, 'p.', long));
    const { sleep } = first('google-api-sleep-list-v2-staged') as { sleep: object };
    expect(changed({ name: undefined })).toBe('p.name is no name');
    expect(changed({ sleep: undefined })).toBe('p.sleep is no object');
    expect(changed({ sleep: { ...sleep, interval: {} } })).toBe('p.sleep.interval.startTime is no instant');
    expect(changed({ sleep: { ...sleep, updateTime: 'yesterday' } })).toBe('p.sleep.updateTime is no instant');
    expect(changed({ sleep: { ...sleep, summary: { minutesAsleep: '-1' } } })).toBe('p.sleep.summary.minutesAsleep is negative');
    const backwards = { startTime: '2026-09-15T04:41:30Z', endTime: '2026-09-14T21:10:30Z' };
    expect(changed({ sleep: { ...sleep, interval: backwards } })).toBe('p.sleep.interval.endTime is before startTime');
    const offset = { startTime: '2026-09-14T21:10:30Z', endTime: '2026-09-15T04:41:30Z', endUtcOffset: '2h' };
    expect(changed({ sleep: { ...sleep, interval: offset } })).toBe('p.sleep.interval.endUtcOffset is no duration');
  });
});

describe('an exercise', () => {
  it('comes in millimetres and seconds with an s, and leaves in ours', () => {
    expect(workoutRecord(first('google-api-exercise-list'), '', long)).toMatchObject({
      kind: 'workout',
      providerRecordId: '61200417733',
      localDate: '2026-09-14',
      version: undefined,
      start: '2026-09-14T16:10:00.000Z',
      end: '2026-09-14T16:41:04.000Z',
      utcOffsetS: 7200,
      detail: {
        sport: 'running',
        providerSport: 'RUNNING',
        elapsedS: 1864,
        activeS: 1831,
        distanceM: 5020,
        elevationGainM: 21.3,
        totalEnergyKcal: 318,
        hrAvg: 148,
        cadenceAvg: 158.2,
        steps: 4870,
        manual: false,
      },
    });
  });

  it('belongs to the day on which it began, and says when it was typed in', () => {
    const point = first('google-api-exercise-list');
    Object.assign(point, { dataSource: { recordingMethod: 'MANUAL', platform: 'FITBIT' } });
    Object.assign(point['exercise'] as object, {
      updateTime: '2026-09-14T16:45:00.123456Z',
      exerciseType: 'TO_COME',
      metricsSummary: { heartRateZoneDurations: { lightTime: '600s', vigorousTime: '30.5s' } },
      interval: { startTime: '2026-09-14T21:50:00Z', startUtcOffset: '7200s', endTime: '2026-09-14T22:30:00Z', endUtcOffset: '7200s' },
    });
    expect(workoutRecord(point, '', long)).toMatchObject({
      localDate: '2026-09-14',
      version: Date.parse('2026-09-14T16:45:00Z') * 1000 + 123_456,
      detail: { sport: 'other', providerSport: 'TO_COME', manual: true, distanceM: null, hrAvg: null, hrZonesS: [600, 0, 31, 0] },
    });
  });
});

describe('samples', () => {
  it('a weighing is grams, and is known by its time where it has no name', () => {
    const record = measurementRecords('weight', first('google-api-weight-list'), '', long)[0];
    expect(record).toMatchObject({
      kind: 'measurement',
      metric: 'body_weight',
      value: 72.5,
      instant: '2026-09-12T04:11:00.000Z',
      localDate: '2026-09-12',
      recordId: 'weight/2026-09-12T04:11:00.000Z',
      source: { id: 'src_google_health_connect' },
      version: undefined,
    });
    const named = { ...first('google-api-weight-list'), name: 'users/7203998815540021993/dataTypes/weight/dataPoints/w1' };
    expect(measurementRecords('weight', named, '', long)[0]?.recordId).toBe('w1');
  });

  it('percentages are percent, and the others in the units that Google gives them in', () => {
    const sampleTime = { physicalTime: '2026-09-12T04:11:00Z', utcOffset: '7200s' };
    const value = (collection: Parameters<typeof measurementRecords>[0], point: object) =>
      measurementRecords(collection, point, 'p.', long).map((record) => [record.metric, record.value]);
    expect(value('body-fat', { bodyFat: { sampleTime, percentage: 18.25 } })).toEqual([['body_fat_percentage', 18.25]]);
    expect(value('blood-glucose', { bloodGlucose: { sampleTime, bloodGlucoseMilligramsPerDeciliter: 95 } })).toEqual([
      ['blood_glucose', 95],
    ]);
    expect(value('height', { height: { sampleTime, heightMillimeters: '1785' } })).toEqual([['height', 178.5]]);
    expect(value('core-body-temperature', { coreBodyTemperature: { sampleTime, temperatureCelsius: 36.84 } })).toEqual([
      ['body_temperature', 36.84],
    ]);
    expect(value('heart-rate-variability', { heartRateVariability: { sampleTime, standardDeviationMilliseconds: 48.26 } })).toEqual([
      ['hrv_sdnn', 48.3],
    ]);
    const interval = { startTime: '2026-09-12T04:11:00Z', startUtcOffset: '7200s', endTime: '2026-09-12T04:12:00Z', endUtcOffset: '7200s' };
    expect(
      measurementRecords('hydration-log', { hydrationLog: { interval, amountConsumed: { milliliters: 250 } } }, '', long),
    ).toMatchObject([{ metric: 'hydration_intake', value: 250, instant: '2026-09-12T04:11:00.000Z', localDate: '2026-09-12' }]);
    expect(value('body-fat', { bodyFat: { sampleTime } })).toEqual([]);
    // A fraction where a percentage belongs.
    expect(drifts(() => value('body-fat', { bodyFat: { sampleTime, percentage: 0.18 } }))).toBe(
      'p.bodyFat.percentage is out of any possible range',
    );
  });

  it('of one platform but of two apps are of two sources, and say whose they are at first hand', () => {
    const by = (packageName: string) => ({
      ...first('google-api-weight-list'),
      dataSource: { platform: 'HEALTH_CONNECT', application: { packageName } },
    });
    const sources = ['com.garmin.android.apps.connectmobile', 'com.withings.wiscale2', 'com.example.scale'].map(
      (name) => measurementRecords('weight', by(name), '', long)[0]?.source,
    );
    expect(sources).toMatchObject([
      { id: 'src_google_health_connect_com_garmin_android_apps_connectmobile', originProvider: 'garmin' },
      { id: 'src_google_health_connect_com_withings_wiscale2', originProvider: 'withings' },
      { id: 'src_google_health_connect_com_example_scale' },
    ]);
    expect(sources[2]).not.toHaveProperty('originProvider');
  });

  it('without an offset are filed by the zone that the customer told, and by UTC where none is known', () => {
    const point = { weight: { sampleTime: { physicalTime: '2026-07-14T23:30:00Z' }, weightGrams: 72_500 } };
    const filed = (fallbackZone: string | undefined) => {
      const record = measurementRecords('weight', point, '', { ...long, whereabouts: { ...nowhere, fallbackZone } })[0];
      return [record?.localDate, record?.dateBasis, record?.timeZone, record?.provisional];
    };
    expect(filed('Europe/Lisbon')).toEqual(['2026-07-15', 'fallback_zone', 'Europe/Lisbon', false]);
    expect(filed(undefined)).toEqual(['2026-07-14', 'utc_assumed', undefined, true]);
  });
});
