import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Document } from '../document-fields.js';
import { rollupRecords, summaryRecords } from './daily-records.js';
import { beatSeries, beats, measurementRecords } from './sample-records.js';
import { sleepRecord, workoutRecord } from './session-records.js';

const points = (name: string) =>
  (JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url)).toString()) as { dataPoints: Document[] }).dataPoints;
const first = (name: string) => structuredClone(points(name)[0]) as Record<string, Record<string, never>>;
const long = Date.parse('2027-01-01T00:00:00Z');
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
  it('come in Google’s units, as text or as numbers', () => {
    expect(rolled('steps', { steps: { countSum: '11342' } })).toMatchObject([{ metric: 'steps', value: 11342, localDate: '2026-09-14' }]);
    expect(rolled('distance', { distance: { millimetersSum: '3146500' } })).toMatchObject([{ metric: 'distance', value: 3146.5 }]);
    expect(rolled('total-calories', { totalCalories: { kcalSum: 2200.44 } })).toMatchObject([{ metric: 'total_energy', value: 2200.4 }]);
    expect(rolled('floors', { floors: { countSum: '8' } })).toMatchObject([{ metric: 'floors_climbed', value: 8 }]);
  });

  it('a zero is a value, and nothing is none', () => {
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
    const provisional = (now: string) => rolled('steps', { steps: { countSum: '1' } }, Date.parse(now))[0]?.provisional;
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
    expect(summaryRecords('daily-respiratory-rate', { dailyRespiratoryRate: { date, breathsPerMinute: 14 } }, '', long)).toMatchObject([
      { metric: 'respiratory_rate_night', value: 14 },
    ]);
  });
});

describe('a sleep', () => {
  it('belongs to the day of waking on the person’s own clock, and has the version that Google gives', () => {
    expect(sleepRecord(first('google-api-sleep-list-v2-staged'), 'p.')).toMatchObject({
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
    const { stages } = sleepRecord(first('google-api-sleep-list-v2-staged'), '').detail;
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
    const record = sleepRecord(point, '');
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
      const { localDate, dateBasis, provisional } = sleepRecord(point, '');
      return [localDate, dateBasis, provisional];
    };
    expect(at('2026-09-15T03:30:00Z', '-12600s')).toEqual(['2026-09-15', 'record_offset', false]);
    expect(at('2026-09-15T03:29:59Z', '-12600s')).toEqual(['2026-09-14', 'record_offset', false]);
    expect(at('2026-09-15T04:00:00Z', undefined)).toEqual(['2026-09-15', 'utc_assumed', true]);
  });

  it('anything else is drift', () => {
    const changed = (fields: object) => drifts(() => sleepRecord({ ...first('google-api-sleep-list-v2-staged'), ...fields }, 'p.'));
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
    expect(workoutRecord(first('google-api-exercise-list'), '')).toMatchObject({
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
      metricsSummary: undefined,
      interval: { startTime: '2026-09-14T21:50:00Z', startUtcOffset: '7200s', endTime: '2026-09-14T22:30:00Z', endUtcOffset: '7200s' },
    });
    expect(workoutRecord(point, '')).toMatchObject({
      localDate: '2026-09-14',
      version: Date.parse('2026-09-14T16:45:00Z') * 1000 + 123_456,
      detail: { sport: 'other', providerSport: 'TO_COME', manual: true, distanceM: null, hrAvg: null },
    });
  });
});

describe('samples', () => {
  it('a weighing is grams, and is known by its time where it has no name', () => {
    const record = measurementRecords('weight', first('google-api-weight-list'), '')[0];
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
    expect(measurementRecords('weight', named, '')[0]?.recordId).toBe('w1');
  });

  it('percentages are percent, and glucose is milligrams', () => {
    const sampleTime = { physicalTime: '2026-09-12T04:11:00Z', utcOffset: '7200s' };
    expect(measurementRecords('body-fat', { bodyFat: { sampleTime, percentage: 18.25 } }, '')).toMatchObject([{ value: 18.25 }]);
    expect(measurementRecords('blood-glucose', { bloodGlucose: { sampleTime, bloodGlucoseMilligramsPerDeciliter: 95 } }, '')).toMatchObject(
      [{ metric: 'blood_glucose', value: 95 }],
    );
    expect(measurementRecords('body-fat', { bodyFat: { sampleTime } }, '')).toEqual([]);
    // A fraction where a percentage belongs.
    expect(drifts(() => measurementRecords('body-fat', { bodyFat: { sampleTime, percentage: 0.18 } }, 'p.'))).toBe(
      'p.bodyFat.percentage is out of any possible range',
    );
  });

  it('heart beats become one series for each day of the person’s own clock', () => {
    const series = beatSeries(
      [...points('google-api-heart-rate-list')].reverse().flatMap((point) => beats(point, '')),
      long,
    );
    expect(series).toMatchObject([
      { localDate: '2026-09-14', samples: { from: '2026-09-14T21:58:10.000Z', offsetsS: [0], values: [58] }, provisional: false },
      {
        localDate: '2026-09-15',
        samples: { from: '2026-09-14T22:03:10.000Z', offsetsS: [0], values: [55] },
        source: { id: 'src_google_fitbit' },
      },
    ]);
  });

  it('rise by the second, of which each has one, and leave out what no heart does', () => {
    const at = (physicalTime: string, beatsPerMinute: unknown) =>
      beats({ heartRate: { sampleTime: { physicalTime, utcOffset: '0s' }, beatsPerMinute } }, '');
    const [series] = beatSeries(
      [
        ...at('2026-09-14T10:00:05.900Z', '61'),
        ...at('2026-09-14T10:00:00.500Z', '60'),
        ...at('2026-09-14T10:00:05.100Z', '99'),
        ...at('2026-09-14T10:00:07Z', '0'),
        ...at('2026-09-14T10:00:08Z', null),
      ],
      Date.parse('2026-09-14T11:00:00Z'),
    );
    expect(series?.samples).toEqual({ from: '2026-09-14T10:00:00.000Z', offsetsS: [0, 5], values: [60, 61], intervalS: undefined });
    expect(series?.provisional).toBe(true);
  });
});
