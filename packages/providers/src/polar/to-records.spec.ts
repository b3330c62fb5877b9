import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { nowhere } from '../../testing/scripted-http.js';
import { Drift } from '../drift.js';
import * as daily from './daily.js';
import { heartRateRecords } from './heart-rate.js';
import * as sleeps from './sleep.js';

const now = Date.parse('2027-01-01T00:00:00Z');
const read = { now, whereabouts: nowhere };
const activityRecords = (value: unknown, at: string, instant: number) => daily.activityRecords(value, at, { ...read, now: instant });
const rechargeRecords = (value: unknown, at: string) => daily.rechargeRecords(value, at, read);
const physicalRecords = (value: unknown, at: string, whereabouts = nowhere) => daily.physicalRecords(value, at, { now, whereabouts });
const sleepRecords = (value: unknown, at: string, instant: number) => sleeps.sleepRecords(value, at, { ...read, now: instant });
const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/polar-api-${name}.json`, import.meta.url), 'utf8'));
const complaint = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof Drift) return error.message;
    throw error;
  }
  return 'no complaint';
};
const dailies = (records: readonly object[]) =>
  records.map((record) => 'metric' in record && 'value' in record && [record.metric, record.value]);

describe('days of activity of Polar', () => {
  const day = fixture('daily-activity');

  it('are the totals under the label; samples are not added up', () => {
    const records = activityRecords(day, '', now);
    expect(dailies(records)).toEqual([
      ['steps', 11_342],
      ['distance', 8740.5],
      ['active_energy', 743],
      ['total_energy', 2387],
      ['basal_energy', 1644],
      ['active_duration', 14_760],
      ['sedentary_duration', 42_750],
    ]);
    expect(records[0]).toMatchObject({
      providerRecordId: 'activity/2026-09-14',
      localDate: '2026-09-14',
      dateBasis: 'provider_date',
      utcOffsetS: undefined,
      provisional: false,
      version: undefined,
    });
  });

  it('may change until they have ended everywhere', () => {
    const provisional = (at: string) => (activityRecords(day, '', Date.parse(at))[0] as { provisional: boolean }).provisional;
    expect([provisional('2026-09-16T11:59:59Z'), provisional('2026-09-16T12:00:00Z')]).toEqual([true, false]);
  });

  it('C127 leave out what was not measured, and take the day of the start where there are no samples', () => {
    expect(activityRecords({ start_time: '2026-09-14T00:00:00', steps: 0, calories: null }, '', now)).toMatchObject([
      { metric: 'steps', value: 0, localDate: '2026-09-14' },
    ]);
  });

  it.each([
    [{ steps: 1 }, 'p.start_time is no civil day'],
    [{ start_time: '2026-09-14', steps: '1' }, 'p.steps is no number'],
    [{ start_time: '2026-09-14', steps: 200_001 }, 'p.steps is out of any possible range'],
    [{ start_time: '2026-09-14', active_duration: '4 h' }, 'p.active_duration is no duration'],
  ])('complain with the path (%#)', (value, said) => {
    expect(complaint(() => activityRecords(value, 'p.', now))).toBe(said);
  });
});

describe('nights of Polar', () => {
  const night = fixture('sleep');

  it('are filed under the day of waking, with the hypnogram as runs over midnight', () => {
    const [sleep, duration, score] = sleepRecords(night, '', now);
    expect(sleep).toEqual({
      kind: 'sleep',
      providerRecordId: 'sleep/2026-09-15',
      source: { id: 'src_polar_watch', type: 'watch', manufacturer: 'Polar', model: undefined },
      localDate: '2026-09-15',
      dateBasis: 'provider_date',
      dayModel: 'night',
      utcOffsetS: 7200,
      endUtcOffsetS: 7200,
      provisional: false,
      version: undefined,
      coverageEnd: Date.parse('2026-09-15T04:41:30Z'),
      start: '2026-09-14T21:10:30.000Z',
      end: '2026-09-15T04:41:30.000Z',
      detail: {
        isMain: true,
        isNap: false,
        inBedS: null,
        asleepS: 25_080,
        awakeS: 1980,
        lightS: 14_040,
        deepS: 4860,
        remS: 6180,
        latencyS: null,
        efficiencyPct: null,
        hrAvg: null,
        hrMin: null,
        hrvRmssd: null,
        respiratoryRate: null,
        stages: [
          { start: '2026-09-14T21:19:00.000Z', end: '2026-09-14T21:46:00.000Z', stage: 'light' },
          { start: '2026-09-14T21:46:00.000Z', end: '2026-09-14T22:26:00.000Z', stage: 'deep' },
          { start: '2026-09-14T22:26:00.000Z', end: '2026-09-15T03:11:00.000Z', stage: 'light' },
          { start: '2026-09-15T03:11:00.000Z', end: '2026-09-15T04:33:00.000Z', stage: 'rem' },
          { start: '2026-09-15T04:33:00.000Z', end: '2026-09-15T04:41:30.000Z', stage: 'awake' },
        ],
      },
    });
    expect(duration).toMatchObject({ metric: 'sleep_duration', value: 25_080, localDate: '2026-09-15' });
    expect(score).toMatchObject({
      kind: 'daily',
      metric: 'vendor.polar.sleep_score',
      value: 81,
      localDate: '2026-09-15',
      dayModel: 'night',
    });
  });

  it('two depths of light sleep are one run, and a stage in the minute of the start begins with it', () => {
    const hypnogram = { '23:10': 2, '23:20': 3, '01:00': 4 };
    expect(sleepRecords({ ...night, hypnogram }, '', now)[0]).toMatchObject({
      detail: {
        stages: [
          { start: '2026-09-14T21:10:30.000Z', end: '2026-09-14T23:00:00.000Z', stage: 'light' },
          { start: '2026-09-14T23:00:00.000Z', end: '2026-09-15T04:41:30.000Z', stage: 'deep' },
        ],
      },
    });
  });

  it('without stages have none, not none of each', () => {
    const bare = { ...night, light_sleep: 0, deep_sleep: 0, rem_sleep: 0, unrecognized_sleep_stage: 25_000, hypnogram: null };
    expect(sleepRecords(bare, '', now)[0]).toMatchObject({
      detail: { asleepS: 25_000, lightS: null, deepS: null, remS: null, stages: [] },
    });
  });

  it.each([
    [{ ...night, date: '15.9.2026' }, 'p.date is no civil day'],
    [{ ...night, sleep_start_time: '2026-09-14T23:10:30' }, 'p.sleep_start_time is no instant with an offset'],
    [{ ...night, sleep_end_time: night.sleep_start_time.replace('23', '22') }, 'p.sleep_end_time is before sleep_start_time'],
    [{ ...night, sleep_end_time: '2026-09-16T06:41:30+02:00' }, 'p.sleep_end_time is out of any possible range'],
    [{ ...night, hypnogram: { '24:00': 1 } }, 'p.hypnogram holds no clock time with a stage'],
    [{ ...night, hypnogram: { '23:00': 9 } }, 'p.hypnogram holds no clock time with a stage'],
  ])('complain with the path (%#)', (value, said) => {
    expect(complaint(() => sleepRecords(value, 'p.', now))).toBe(said);
  });

  it('give what is worked out of them under the same day', () => {
    const recharge = {
      date: '2026-09-15',
      heart_rate_avg: 55,
      heart_rate_variability_avg: 48,
      breathing_rate_avg: 14.1,
      nightly_recharge_status: 5,
      ans_charge: -2.3,
    };
    const records = rechargeRecords(recharge, '');
    expect(dailies(records)).toEqual([
      ['hrv_rmssd_night', 48],
      ['respiratory_rate_night', 14.1],
      ['vendor.polar.ans_charge', -2.3],
      ['vendor.polar.nightly_recharge_status', 5],
    ]);
    expect(records[0]).toMatchObject({ providerRecordId: 'nightly-recharge/2026-09-15', localDate: '2026-09-15', dayModel: 'night' });
  });
});

describe('continuous heart rates of Polar', () => {
  const day = fixture('continuous-heart-rate');

  it('are one series of the whole day, by the offset of the night', () => {
    expect(heartRateRecords(day, '', 7200, read)).toEqual([
      {
        kind: 'series',
        metric: 'heart_rate',
        workoutId: undefined,
        providerRecordId: 'continuous-heart-rate/2026-09-14',
        source: { id: 'src_polar_watch', type: 'watch', manufacturer: 'Polar', model: undefined },
        localDate: '2026-09-14',
        dateBasis: 'provider_date',
        dayModel: 'civil',
        utcOffsetS: 7200,
        provisional: false,
        version: undefined,
        coverageEnd: Date.parse('2026-09-14T21:59:40Z'),
        samples: { from: '2026-09-13T22:02:10.000Z', offsetsS: [0, 65_870, 86_250], values: [56, 148, 61], intervalS: undefined },
      },
    ]);
  });

  it('without an offset stand as if in UTC and stay provisional; what comes twice or was not felt is no sample', () => {
    const heart_rate_samples = [
      { heart_rate: 70, sample_time: '10:00:00' },
      { heart_rate: 0, sample_time: '09:59:59' },
      { heart_rate: 60, sample_time: '08:00:00' },
      { heart_rate: 71, sample_time: '10:00:00' },
    ];
    expect(heartRateRecords({ ...day, heart_rate_samples }, '', undefined, read)).toMatchObject([
      {
        utcOffsetS: undefined,
        provisional: true,
        coverageEnd: undefined,
        samples: { from: '2026-09-14T08:00:00.000Z', offsetsS: [0, 7_200], values: [60, 71] },
      },
    ]);
    expect(heartRateRecords({ ...day, heart_rate_samples: [] }, '', 0, read)).toEqual([]);
  });

  it('stand by the zone of the person where no night tells the offset, over a change of the clocks too', () => {
    const heart_rate_samples = ['00:30:00', '02:59:59', '12:00:00'].map((sample_time) => ({ heart_rate: 60, sample_time }));
    const lisbon = { ...read, whereabouts: { ...nowhere, profile: [{ validFrom: 0, zone: 'Europe/Lisbon' }] } };
    const at = (date: string) => heartRateRecords({ date, heart_rate_samples }, '', undefined, lisbon);
    expect(at('2026-07-14')).toMatchObject([
      {
        localDate: '2026-07-14',
        dateBasis: 'provider_date',
        timeZone: 'Europe/Lisbon',
        provisional: false,
        samples: { from: '2026-07-13T23:30:00.000Z' },
      },
    ]);
    // At 01:00 it became 02:00.
    expect(at('2026-03-29')).toMatchObject([{ samples: { from: '2026-03-29T00:30:00.000Z', offsetsS: [0, 5_399, 37_800] } }]);
  });

  it('leave out what no heart does', () => {
    const heart_rate_samples = [
      { heart_rate: 300, sample_time: '01:00:00' },
      { heart_rate: 60, sample_time: '01:00:05' },
    ];
    expect(heartRateRecords({ ...day, heart_rate_samples }, '', 0, read)).toMatchObject([{ samples: { values: [60] } }]);
  });

  it.each([
    [{ ...day, heart_rate_samples: {} }, 'p.heart_rate_samples is no list'],
    [{ ...day, heart_rate_samples: [{ heart_rate: 60, sample_time: '24:00:00' }] }, 'p.heart_rate_samples[0].sample_time is no clock time'],
    [{ ...day, heart_rate_samples: [{ heart_rate: 'fast', sample_time: '01:00:00' }] }, 'p.heart_rate_samples[0].heart_rate is no number'],
  ])('complain with the path (%#)', (value, said) => {
    expect(complaint(() => heartRateRecords(value, 'p.', 0, read))).toBe(said);
  });
});

describe('physical information of Polar', () => {
  const info = fixture('physical-info');

  it('has the version that Polar gives it, and the day of its last change', () => {
    const records = physicalRecords(info, '');
    expect(dailies(records)).toEqual([
      ['body_weight', 72.5],
      ['height', 175],
      ['vo2max_estimate', 48],
    ]);
    expect(records[0]).toMatchObject({
      kind: 'measurement',
      recordId: 'physical-info/weight',
      instant: '2026-09-12T04:12:00.000Z',
      localDate: '2026-09-12',
      dateBasis: 'utc_assumed',
      version: Date.parse('2026-09-12T04:12:00Z') * 1000,
      manual: false,
    });
  });

  it('is dated where the person was', () => {
    const late = { ...info, modified: '2026-09-12T23:12:00Z' };
    expect(physicalRecords(late, '', { ...nowhere, fallbackZone: 'Europe/Prague' })[0]).toMatchObject({
      localDate: '2026-09-13',
      dateBasis: 'fallback_zone',
      utcOffsetS: 7_200,
    });
    expect(physicalRecords(late, '')[0]).toMatchObject({ localDate: '2026-09-12', provisional: true });
  });

  it('that a person typed in says so, and what is not there is nothing', () => {
    expect(physicalRecords({ modified: info.modified, weight: 70, weight_source: 'SOURCE_USER' }, '')).toMatchObject([
      { manual: true, value: 70 },
    ]);
    expect(complaint(() => physicalRecords({ weight: 70 }, 'p.'))).toBe('p.modified is no instant with an offset');
    expect(complaint(() => physicalRecords({ ...info, weight: 700 }, 'p.'))).toBe('p.weight is out of any possible range');
  });
});
