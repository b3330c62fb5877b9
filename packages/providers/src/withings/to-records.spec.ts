import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Drift } from '../drift.js';
import { activityRecords } from './activity.js';
import { nowhere } from '../../testing/scripted-http.js';
import { measureRecords, profileOf } from './measures.js';
import { sleepRecords, stageRuns } from './sleep.js';
import { workoutRecords } from './workouts.js';

const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')).body;
const complaint = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof Drift) return error.message;
    throw error;
  }
  return 'no complaint';
};
const group = (more: object, measures: object[] = [{ value: 72_500, type: 1, unit: -3 }]) => ({
  grpid: 7,
  attrib: 0,
  category: 1,
  date: 1_789_186_260,
  modified: 1_789_186_275,
  modelid: 13,
  model: 'Body+',
  measures,
  ...more,
});
const now = Date.parse('2027-01-01T00:00:00Z');
const unknown = { now, whereabouts: nowhere };
const prague = { now, whereabouts: profileOf('Europe/Prague', unknown) };
const values = (measures: object[]) =>
  measureRecords(group({}, measures), '', prague).map((record) =>
    record.kind === 'measurement' ? [record.metric, record.value ?? record.parts] : record.kind,
  );

describe('measures of Withings', () => {
  const [weighing, typed, goal] = fixture('withings-api-getmeas.json').measuregrps;

  it('are mantissa and power of ten, each metric in its own unit, as one weighing of one moment', () => {
    const records = measureRecords(weighing, 'body.measuregrps[0].', prague);
    expect(records.map((record) => record.kind === 'measurement' && [record.metric, record.value])).toEqual([
      ['body_weight', 72.5],
      ['lean_body_mass', 59.3],
      ['body_fat_percentage', 18.2],
      ['fat_mass', 13.195],
      ['spo2', 95],
      ['heart_rate', 62],
    ]);
    expect(records[0]).toEqual({
      kind: 'measurement',
      metric: 'body_weight',
      value: 72.5,
      recordId: '5412003311',
      providerRecordId: '5412003311',
      source: { id: 'src_withings_model_13', type: 'scale', manufacturer: 'Withings', model: 'Body+' },
      instant: '2026-09-12T04:11:00.000Z',
      localDate: '2026-09-12',
      dateBasis: 'profile_zone',
      timeZone: 'Europe/Prague',
      tzdb: 'test',
      dayModel: 'civil',
      utcOffsetS: 7200,
      provisional: false,
      version: 1_789_186_275_000_000,
      coverageEnd: 1_789_186_260_000,
      manual: false,
      ambiguous: false,
    });
  });

  it('C065: have no noise of binary fractions, whatever the power of ten', () => {
    expect(values([{ value: 71_245, type: 1, unit: -3 }])).toEqual([['body_weight', 71.245]]);
    expect(values([{ value: 7124, type: 1, unit: -2 }])).toEqual([['body_weight', 71.24]]);
    expect(values([{ value: 71, type: 1, unit: 0 }])).toEqual([['body_weight', 71]]);
    expect(values([{ value: 95, type: 54, unit: -2 }])).toEqual([['spo2', 95]]);
    expect(values([{ value: 95, type: 54, unit: 0 }])).toEqual([['spo2', 95]]);
    expect(values([{ value: 178, type: 4, unit: -2 }])).toEqual([['height', 178]]);
  });

  it('that a person typed in say so, goals give nothing, and a doubtful owner is told of', () => {
    expect(measureRecords(typed, '', prague)).toMatchObject([
      { value: 72.4, manual: true, source: { id: 'src_withings_manual', type: 'manual' } },
    ]);
    expect(measureRecords(goal, '', prague)).toEqual([]);
    expect(measureRecords(group({ attrib: 1 }), '', prague)).toMatchObject([{ ambiguous: true, manual: false }]);
  });

  it('of one inflation are one pressure, with its pulse when there is one', () => {
    const pressure = (...more: object[]) => values([{ value: 121, type: 10, unit: 0 }, { value: 78, type: 9, unit: 0 }, ...more]);
    expect(pressure({ value: 62, type: 11, unit: 0 })).toEqual([['blood_pressure', { systolic: 121, diastolic: 78, pulse: 62 }]]);
    expect(pressure()).toEqual([['blood_pressure', { systolic: 121, diastolic: 78, pulse: null }]]);
    expect(pressure({ value: 0, type: 11, unit: 0 })).toEqual([['blood_pressure', { systolic: 121, diastolic: 78, pulse: null }]]);
    // Half a pressure is none.
    expect(values([{ value: 121, type: 10, unit: 0 }])).toEqual([]);
  });

  it('of two kinds of thermometer are one temperature, the exact one', () => {
    expect(
      values([
        { value: 371, type: 12, unit: -1 },
        { value: 3684, type: 71, unit: -2 },
      ]),
    ).toEqual([['body_temperature', 36.84]]);
  });

  it('are filed by the zone of then where it is known, and by the nearest one before that', () => {
    const moved = Date.parse('2026-06-01T00:00:00Z');
    const history = { ...nowhere, profile: [{ validFrom: moved, zone: 'Asia/Tokyo' }] };
    const dayOf = (time: string, zone: string | undefined, profile: typeof nowhere = history) => {
      const read = { now, whereabouts: profileOf(zone, { now, whereabouts: profile }) };
      const record = measureRecords(group({ date: Date.parse(time) / 1000 }), '', read)[0];
      return record?.kind === 'measurement' ? [record.localDate, record.dateBasis] : [];
    };
    // In Lisbon now; the weighing was in Tokyo.
    expect(dayOf('2026-07-14T16:00:00Z', 'Europe/Lisbon')).toEqual(['2026-07-15', 'profile_zone']);
    expect(dayOf('2026-05-14T16:00:00Z', 'Europe/Lisbon')).toEqual(['2026-05-15', 'profile_zone']);
    expect(dayOf('2026-07-14T23:30:00Z', 'Europe/Lisbon', nowhere)).toEqual(['2026-07-15', 'profile_zone']);
    expect(dayOf('2026-07-14T23:30:00Z', 'no/where', nowhere)).toEqual(['2026-07-14', 'utc_assumed']);
  });

  it('of fitness are a value of the day', () => {
    expect(measureRecords(group({}, [{ value: 432, type: 123, unit: -1 }]), '', prague)).toMatchObject([
      { kind: 'daily', metric: 'vo2max_estimate', value: 43.2, localDate: '2026-09-12', providerRecordId: '7' },
    ]);
  });

  it('without a zone that we know have a day by UTC, which may move', () => {
    expect(measureRecords(group({}), '', unknown)).toMatchObject([
      { localDate: '2026-09-12', dateBasis: 'utc_assumed', utcOffsetS: undefined, provisional: true },
    ]);
  });

  it.each([
    [group({ grpid: null }), 'p.grpid is no id'],
    [group({ date: 'private' }), 'p.date is no number'],
    [group({ modified: null }), 'p.modified is no time in seconds'],
    [group({ measures: 'private' }), 'p.measures is no list'],
    [group({}, [{ value: 1, type: 1, unit: 0.5 }]), 'p.measures[0].value is no number with a power of ten'],
    [group({}, [{ value: 900, type: 1, unit: 0 }]), 'p.measures[0].value is out of any possible range'],
    [
      group({}, [
        { value: 70, type: 10, unit: 0 },
        { value: 90, type: 9, unit: 0 },
      ]),
      'p.measures[0].value is not above the diastolic pressure',
    ],
    ['private', 'p is no object'],
  ])('complain with the path and never the value (%#)', (value, said) => {
    expect(complaint(() => measureRecords(value, 'p.', unknown))).toBe(said);
  });
});

describe('days of activity of Withings', () => {
  const [day] = fixture('withings-api-getactivity.json').activities;

  it('are totals under the label, from elsewhere where the brand says so', () => {
    const records = activityRecords(day, '', unknown);
    expect(records.map((record) => record.kind === 'daily' && [record.metric, record.value])).toEqual([
      ['steps', 11_342],
      ['distance', 8740.9],
      ['floors_climbed', 24],
      ['active_energy', 743.2],
      ['total_energy', 2387.5],
      ['basal_energy', 1644.3],
      ['active_duration', 2700],
      ['light_activity_duration', 12_060],
      ['moderate_activity_duration', 840],
      ['vigorous_activity_duration', 1860],
    ]);
    expect(records[0]).toMatchObject({
      providerRecordId: 'activity/2026-09-14',
      source: { id: 'src_withings_model_1055', type: 'platform_merged', model: 'GoogleFit tracker', originProvider: 'google' },
      localDate: '2026-09-14',
      dateBasis: 'provider_date',
      utcOffsetS: 7200,
      version: 1_789_447_518_000_000,
    });
  });

  it('are open until a day after their end, in their own zone, and reach as far as they were changed', () => {
    const end = Date.parse('2026-09-14T22:00:00Z');
    const at = (when: number, more: object = {}) => activityRecords({ ...day, ...more }, '', { now: when, whereabouts: nowhere })[0];
    const provisional = (when: number, more: object = {}) => (at(when, more) as { provisional: boolean }).provisional;
    expect([provisional(end + 86_399_999), provisional(end + 86_400_000)]).toEqual([true, false]);
    expect(provisional(end + 86_400_000, { timezone: 'no/where' })).toBe(true);
    expect(at(now, { modified: end / 1000 - 60 })).toMatchObject({ coverageEnd: end - 60_000, timeZone: 'Europe/Prague' });
    expect(at(now, { modified: end / 1000 + 7 * 86_400 })).toMatchObject({ coverageEnd: end });
  });

  it('leave out what is absent, null or a code; a heart that beats 0 times was not measured', () => {
    const some = { date: '2026-09-14', modified: 1, steps: 0, distance: null, calories: -1, hr_average: 0, hr_max: 180 };
    expect(activityRecords(some, '', unknown).map((record) => record.kind === 'daily' && [record.metric, record.value])).toEqual([
      ['steps', 0],
      ['heart_rate_max', 180],
    ]);
  });

  it.each([
    [{ date: '2026-02-30', modified: 1 }, 'p.date is no civil day'],
    [{ date: '2026-02-03' }, 'p.modified is no time in seconds'],
    [{ date: '2026-02-03', modified: 1, steps: '7' }, 'p.steps is no number'],
    [{ date: '2026-02-03', modified: 1, steps: 200_001 }, 'p.steps is out of any possible range'],
  ])('complain with the path (%#)', (value, said) => {
    expect(complaint(() => activityRecords(value, 'p.', unknown))).toBe(said);
  });
});

const night = {
  id: 2_081_804_182,
  timezone: 'Europe/Prague',
  model: 32,
  model_id: 63,
  startdate: 1_789_420_230,
  enddate: 1_789_447_290,
  date: '2026-09-15',
  modified: 1_789_447_500,
  completed: true,
  data: {
    total_timeinbed: 27_060,
    total_sleep_time: 25_080,
    lightsleepduration: 14_040,
    deepsleepduration: 4860,
    remsleepduration: 6180,
    wakeupduration: 1980,
    sleep_latency: 540,
    hr_average: 54,
    hr_min: 49,
    rr_average: 14,
    sleep_score: 81,
    apnea_hypopnea_index: -1,
  },
};

describe('nights of Withings', () => {
  it('are filed under the day of waking, with efficiency of our own and no stages that were not given', () => {
    const [sleep, breathing, score] = sleepRecords(night, '', unknown);
    expect(sleep).toEqual({
      kind: 'sleep',
      providerRecordId: '2081804182',
      source: { id: 'src_withings_model_63', type: 'unknown', manufacturer: 'Withings', model: undefined },
      localDate: '2026-09-15',
      dateBasis: 'provider_date',
      dayModel: 'night',
      timeZone: 'Europe/Prague',
      tzdb: 'test',
      utcOffsetS: 7200,
      endUtcOffsetS: 7200,
      provisional: false,
      version: 1_789_447_500_000_000,
      coverageEnd: 1_789_447_290_000,
      start: '2026-09-14T21:10:30.000Z',
      end: '2026-09-15T04:41:30.000Z',
      detail: {
        isMain: true,
        isNap: false,
        inBedS: 27_060,
        asleepS: 25_080,
        awakeS: 1980,
        lightS: 14_040,
        deepS: 4860,
        remS: 6180,
        latencyS: 540,
        efficiencyPct: 92.7,
        hrAvg: 54,
        hrMin: 49,
        hrvRmssd: null,
        respiratoryRate: 14,
        stages: [],
      },
    });
    expect(breathing).toMatchObject({
      kind: 'daily',
      metric: 'respiratory_rate_night',
      value: 14,
      localDate: '2026-09-15',
      dayModel: 'night',
    });
    expect(score).toMatchObject({ kind: 'daily', metric: 'vendor.withings.sleep_score', value: 81 });
  });

  it('have the stages of their own device, in order', () => {
    const stretch = (startdate: number, state: number, model_id = 63) => ({ startdate, enddate: startdate + 60, state, model_id });
    const runs = stageRuns([stretch(180, 3), stretch(60, 0), stretch(120, 2), stretch(120, 1, 93), stretch(240, 9)], 'stages', 63);
    expect(runs).toEqual([
      { start: '1970-01-01T00:01:00.000Z', end: '1970-01-01T00:02:00.000Z', stage: 'awake' },
      { start: '1970-01-01T00:02:00.000Z', end: '1970-01-01T00:03:00.000Z', stage: 'deep' },
      { start: '1970-01-01T00:03:00.000Z', end: '1970-01-01T00:04:00.000Z', stage: 'rem' },
      { start: '1970-01-01T00:04:00.000Z', end: '1970-01-01T00:05:00.000Z', stage: 'unknown' },
    ]);
    expect(complaint(() => stageRuns([{ startdate: 'private' }], 'stages', null))).toBe('stages[0].startdate is no number');
  });

  it('C071: that are not worked out yet may change, and codes are no values', () => {
    const data = {
      total_sleep_time: 25_080,
      lightsleepduration: 0,
      deepsleepduration: 0,
      remsleepduration: 0,
      sleep_score: -1,
      hr_average: 0,
    };
    const records = sleepRecords({ ...night, completed: false, data }, '', unknown);
    expect(records).toMatchObject([
      { provisional: true, detail: { asleepS: 25_080, lightS: null, deepS: null, remS: null, hrAvg: null, inBedS: 27_060 } },
    ]);
  });

  it('of under three hours are naps, and give no value of the night', () => {
    const nap = { ...night, enddate: night.startdate + 3600, data: { ...night.data, total_timeinbed: 3600, total_sleep_time: 3000 } };
    expect(sleepRecords(nap, '', unknown)).toMatchObject([{ detail: { isNap: true, isMain: false } }]);
    expect(sleepRecords(nap, '', unknown)).toHaveLength(1);
  });

  it.each([
    [{ ...night, enddate: night.startdate - 1 }, 'p.enddate is before startdate'],
    [{ ...night, enddate: night.startdate + 30 * 3600 + 1 }, 'p.enddate is out of any possible range'],
    [{ ...night, id: null }, 'p.id is no id'],
    [{ ...night, data: 'private' }, 'p.data is no object'],
  ])('complain with the path (%#)', (value, said) => {
    expect(complaint(() => sleepRecords(value, 'p.', unknown))).toBe(said);
  });
});

describe('workouts of Withings', () => {
  const workout = {
    id: 900_123,
    category: 2,
    timezone: 'Europe/Prague',
    model: 93,
    attrib: 7,
    startdate: 1_789_402_200,
    enddate: 1_789_404_064,
    date: '2026-09-14',
    modified: 1_789_405_000,
    data: {
      calories: 318,
      effduration: 1800,
      distance: 5020,
      steps: 5400,
      hr_average: 148,
      hr_max: 171,
      hr_zone_0: 1,
      hr_zone_1: 2,
      hr_zone_2: 3,
      hr_zone_3: 4,
    },
  };

  it('have their sport by its number, and their own number apart from those of nights', () => {
    expect(workoutRecords(workout, '', unknown)).toMatchObject([
      {
        kind: 'workout',
        providerRecordId: 'workout/900123',
        source: { id: 'src_withings_model_93', type: 'watch' },
        localDate: '2026-09-14',
        start: '2026-09-14T16:10:00.000Z',
        utcOffsetS: 7200,
        detail: {
          sport: 'running',
          providerSport: '2',
          elapsedS: 1864,
          activeS: 1800,
          distanceM: 5020,
          activeEnergyKcal: 318,
          hrAvg: 148,
          hrMax: 171,
          hrZonesS: [1, 2, 3, 4],
          steps: 5400,
          manual: false,
        },
      },
    ]);
  });

  it('that were typed in have what was typed, and what was not measured is null', () => {
    const data = { manual_distance: 4000, manual_calories: 250, calories: 0, pause_duration: 64 };
    expect(workoutRecords({ ...workout, attrib: 2, category: 9999, data }, '', unknown)).toMatchObject([
      {
        source: { type: 'manual' },
        detail: {
          sport: 'other',
          providerSport: '9999',
          activeS: 1800,
          distanceM: 4000,
          activeEnergyKcal: 250,
          hrAvg: null,
          hrZonesS: null,
          steps: null,
          manual: true,
        },
      },
    ]);
  });
});
