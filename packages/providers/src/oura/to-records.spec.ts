import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { DailyRecord, SleepRecord, WorkoutRecord } from '@tributary/domain';
import { nowhere } from '../../testing/scripted-http.js';
import { Drift } from '../drift.js';
import type { DocumentCollection } from './collections.js';
import { readList } from './documents.js';
import { profileRecords } from './profile.js';
import { nightRecords, readSleep } from './sleep.js';
import { toRecords } from './to-records.js';

const fixture = (name: string): Record<string, unknown>[] =>
  readList(JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'))).data as Record<string, unknown>[];
const day = fixture('daily-activity')[0] as Record<string, unknown>;
const [night, nap] = fixture('sleep') as [Record<string, unknown>, Record<string, unknown>];
const long = Date.parse('2027-01-01T00:00:00Z');
const read = (now = long) => ({ now, whereabouts: nowhere });
const activity = (changes: Record<string, unknown> = {}, now = long) =>
  toRecords('daily_activity', { ...day, ...changes }, '', read(now)) as DailyRecord[];
const sleep = (changes: Record<string, unknown> = {}, from = night) =>
  toRecords('sleep', { ...from, ...changes }, '', read())[0] as SleepRecord;
const values = (records: readonly DailyRecord[]) => Object.fromEntries(records.map((record) => [record.metric, record.value]));

describe("Oura's daily activity", () => {
  it('is daily values under the day that Oura gives', () => {
    const records = activity();
    expect(values(records)).toEqual({
      steps: 11_342,
      active_energy: 521,
      total_energy: 2_402,
      basal_energy: 1_881,
      distance: 9_210,
      active_duration: 15_840,
      light_activity_duration: 13_080,
      moderate_activity_duration: 900,
      vigorous_activity_duration: 1_860,
      sedentary_duration: 43_440,
      'vendor.oura.activity_score': 82,
    });
    for (const record of records) {
      expect(record).toMatchObject({
        kind: 'daily',
        providerRecordId: 'aaaa1111-2222-4333-8444-bbbbcccc0002',
        localDate: '2026-09-14',
        dateBasis: 'provider_date',
        dayModel: 'civil_0400',
        utcOffsetS: 7_200,
        provisional: false,
        version: undefined,
        source: { id: 'src_oura_ring', type: 'ring' },
        coverage: 1,
        coverageEnd: Date.parse('2026-09-14T04:05:00+02:00'),
      });
    }
  });

  it('C127 leaves out a metric that was not measured, and keeps a zero', () => {
    const spared = values(activity({ steps: null, active_calories: 0, medium_activity_time: null, score: null }));
    expect(spared).toMatchObject({ active_energy: 0, basal_energy: 2_402, light_activity_duration: 13_080 });
    for (const metric of ['steps', 'active_duration', 'moderate_activity_duration', 'vendor.oura.activity_score']) {
      expect(spared).not.toHaveProperty([metric]);
    }
    expect(values(activity({ total_calories: null }))).not.toHaveProperty('basal_energy');
    expect(values(activity({ total_calories: 520 }))).not.toHaveProperty('basal_energy');
  });

  it('says how much of a closed day the ring was worn, and up to when it was', () => {
    expect(activity({ non_wear_time: 21_600 })[0]?.coverage).toBe(0.75);
    expect(activity({ non_wear_time: 21_600 }, Date.parse('2026-09-15T01:59:59Z'))[0]?.coverage).toBeUndefined();
    const met = { interval: 60, items: [1, null, 1, null, null], timestamp: '2026-09-14T04:00:00.000+02:00' };
    expect(activity({ met })[0]?.coverageEnd).toBe(Date.parse('2026-09-14T04:03:00+02:00'));
    for (const none of [null, { interval: 'minute', items: [], timestamp: 4 }, { ...met, items: [null] }]) {
      expect(activity({ met: none })[0]?.coverageEnd).toBeUndefined();
    }
  });

  it('is provisional until a day after its end at 04:00', () => {
    const provisional = (instant: string) => activity({}, Date.parse(instant))[0]?.provisional;
    expect(provisional('2026-09-16T01:59:59Z')).toBe(true);
    expect(provisional('2026-09-16T02:00:00Z')).toBe(false);
  });

  it('keeps an implausible value and refuses an impossible one', () => {
    expect(activity({ steps: 90_000 })[0]?.value).toBe(90_000);
    expect(() => activity({ steps: 200_001 })).toThrow(new Drift('steps is out of any possible range'));
    expect(() => activity({ total_calories: -1 })).toThrow(new Drift('total_calories is out of any possible range'));
  });

  it.each([
    [{ steps: '11342' }, 'steps is no number'],
    [{ id: 17 }, 'id is no text'],
    [{ day: '2026-9-14' }, 'day is no civil day'],
    [{ day: '2026-02-30' }, 'day is no civil day'],
    [{ timestamp: 5 }, 'timestamp is no text'],
  ])('names the path of a fault and never the value: %j', (changes, message) => {
    expect(() => activity(changes)).toThrow(new Drift(message));
  });

  it.each([[null], ['text'], [[]], [7]])('%j is no document', (value) => {
    expect(() => toRecords('daily_activity', value, 'data[3].', read())).toThrow(new Drift('data[3] is no object'));
  });
});

describe("Oura's sleep", () => {
  it('is a night under the day of waking, with its stages as runs', () => {
    expect(sleep()).toEqual({
      kind: 'sleep',
      providerRecordId: 'b7a1f0c2-5a3e-4c55-9f0e-2f1f0f6d8e11',
      localDate: '2026-09-15',
      dateBasis: 'provider_date',
      dayModel: 'night',
      utcOffsetS: 7_200,
      endUtcOffsetS: 7_200,
      provisional: false,
      version: undefined,
      source: { id: 'src_oura_ring', type: 'ring', manufacturer: 'Oura', model: undefined },
      coverageEnd: Date.parse('2026-09-15T04:41:30Z'),
      start: '2026-09-14T21:10:30.000Z',
      end: '2026-09-15T04:41:30.000Z',
      detail: {
        isMain: true,
        isNap: false,
        inBedS: 27_060,
        asleepS: 25_080,
        awakeS: 1_980,
        lightS: 14_040,
        deepS: 4_860,
        remS: 6_180,
        latencyS: 540,
        efficiencyPct: 92.7,
        hrAvg: 54.4,
        hrMin: 49,
        hrvRmssd: 48,
        respiratoryRate: 14.1,
        stages: [
          { start: '2026-09-14T21:10:30.000Z', end: '2026-09-14T21:15:30.000Z', stage: 'awake' },
          { start: '2026-09-14T21:15:30.000Z', end: '2026-09-14T21:25:30.000Z', stage: 'light' },
          { start: '2026-09-14T21:25:30.000Z', end: '2026-09-14T21:40:30.000Z', stage: 'deep' },
          { start: '2026-09-14T21:40:30.000Z', end: '2026-09-14T21:45:30.000Z', stage: 'light' },
          { start: '2026-09-14T21:45:30.000Z', end: '2026-09-14T22:00:30.000Z', stage: 'rem' },
        ],
      },
    });
  });

  it('a nap without a heart rate has nulls and no zeroes, and is not the main sleep', () => {
    expect(sleep({}, nap).detail).toMatchObject({
      isMain: false,
      isNap: true,
      hrAvg: null,
      hrvRmssd: null,
      efficiencyPct: 88.9,
      lightS: 2_400,
      deepS: 0,
    });
  });

  it('the last stage ends with the night', () => {
    const { stages } = sleep({ bedtime_end: '2026-09-14T23:12:00+02:00', sleep_phase_5_min: '4444' }).detail;
    expect(stages).toEqual([{ start: '2026-09-14T21:10:30.000Z', end: '2026-09-14T21:12:00.000Z', stage: 'awake' }]);
  });

  it('sleep without any stage is sleep whose stages were not measured', () => {
    const { lightS, deepS, remS, asleepS, stages } = sleep({
      light_sleep_duration: 0,
      deep_sleep_duration: 0,
      rem_sleep_duration: 0,
      sleep_phase_5_min: '4229',
    }).detail;
    expect({ lightS, deepS, remS, asleepS }).toEqual({ lightS: null, deepS: null, remS: null, asleepS: 25_080 });
    expect(stages.map(({ stage }) => stage)).toEqual(['awake', 'unknown']);
  });

  it('a stage that we do not know is unknown, a type that we do not know is neither night nor nap', () => {
    expect(sleep({ sleep_phase_5_min: '7', type: 'meditation' }).detail).toMatchObject({
      isMain: false,
      isNap: false,
      stages: [{ stage: 'unknown' }],
    });
  });

  it('keeps the offsets of both ends over a change of the clocks', () => {
    expect(
      sleep({ bedtime_start: '2026-03-28T23:30:00+00:00', bedtime_end: '2026-03-29T07:30:00+01:00', day: '2026-03-29' }),
    ).toMatchObject({ utcOffsetS: 0, endUtcOffsetS: 3_600, start: '2026-03-28T23:30:00.000Z', end: '2026-03-29T06:30:00.000Z' });
  });

  it.each(['deleted', 'rest'])('type %s says that there is nothing any more', (type) => {
    expect(toRecords('sleep', { id: 'x', type }, '', read())).toEqual([{ kind: 'deleted', providerRecordId: 'x' }]);
  });

  it.each([
    [{ bedtime_start: '2026-09-14T23:10:30' }, 'bedtime_start is no instant with an offset'],
    [{ bedtime_end: undefined }, 'bedtime_end is no instant with an offset'],
    [{ bedtime_end: '2026-09-14T20:00:00+02:00' }, 'bedtime_end is before bedtime_start'],
    [{ bedtime_end: '2026-09-16T20:00:00+02:00' }, 'bedtime_end is out of any possible range'],
    [{ average_hrv: 'high' }, 'average_hrv is no number'],
    [{ awake_time: -5 }, 'awake_time is negative'],
    [{ sleep_phase_5_min: 42 }, 'sleep_phase_5_min is no text'],
  ])('names the path of a fault: %j', (changes, message) => {
    expect(() => sleep(changes)).toThrow(new Drift(message));
  });
});

describe('the values of a night', () => {
  const of = (...documents: Record<string, unknown>[]) =>
    nightRecords(documents.map((one) => readSleep(one, '', read())).filter((one) => one !== undefined));

  it('are those of the night and not of the nap', () => {
    expect(of(nap, night)).toMatchObject([
      { metric: 'sleep_duration', value: 25_080, localDate: '2026-09-15', dayModel: 'night', providerRecordId: night['id'] },
      { metric: 'hrv_rmssd_night', value: 48 },
      { metric: 'respiratory_rate_night', value: 14.1 },
    ]);
    expect(of(nap)).toEqual([]);
    expect(of()).toEqual([]);
  });

  it('are those of the longer one where a day has two, whichever comes first', () => {
    const shorter = { ...night, id: 'second', total_sleep_duration: 14_400, average_hrv: 90 };
    for (const both of [of(night, shorter), of(shorter, night)])
      expect(values(both)).toMatchObject({ sleep_duration: 25_080, hrv_rmssd_night: 48 });
  });

  it('C127 that were not measured are left out', () => {
    expect(values(of({ ...night, average_hrv: null, average_breath: null }))).toEqual({ sleep_duration: 25_080 });
  });
});

describe("Oura's other documents", () => {
  const made = (collection: DocumentCollection, document: object) =>
    toRecords(collection, { id: 'x', day: '2026-09-15', timestamp: '2026-09-15T00:00:00+00:00', ...document }, '', read());

  it.each<[DocumentCollection, object, object]>([
    ['daily_sleep', { score: 81 }, { 'vendor.oura.sleep_score': 81 }],
    [
      'daily_readiness',
      { score: 84, temperature_deviation: -0.113 },
      { 'vendor.oura.readiness_score': 84, skin_temperature_deviation: -0.11 },
    ],
    ['daily_readiness', { score: null, temperature_deviation: null }, {}],
    ['daily_spo2', { spo2_percentage: { average: 97.45 } }, { spo2_night_avg: 97.5 }],
    ['daily_spo2', { spo2_percentage: { average: 0 } }, {}],
    ['daily_spo2', { spo2_percentage: null }, {}],
    ['vo2_max', { vo2_max: 43.2 }, { vo2max_estimate: 43.2 }],
  ])('%s %j', (collection, document, expected) => {
    const records = made(collection, document) as DailyRecord[];
    expect(values(records)).toEqual(expected);
    // Oura writes these times in UTC wherever the person is.
    for (const record of records)
      expect(record).toMatchObject({ localDate: '2026-09-15', utcOffsetS: undefined, dateBasis: 'provider_date' });
  });

  it('a workout under the day of its start', () => {
    const given = JSON.parse(readFileSync(new URL('./fixtures/oura-api-workout.json', import.meta.url), 'utf8')) as { data: object[] };
    const [workout] = made('workout', given.data[0] as object) as WorkoutRecord[];
    expect(workout).toMatchObject({
      kind: 'workout',
      localDate: '2026-09-14',
      utcOffsetS: 7_200,
      endUtcOffsetS: 7_200,
      provisional: false,
      start: '2026-09-14T16:10:00.000Z',
      end: '2026-09-14T16:41:04.000Z',
      detail: {
        sport: 'running',
        providerSport: 'running',
        elapsedS: 1_864,
        distanceM: 5_020,
        activeEnergyKcal: 318.4,
        totalEnergyKcal: null,
        manual: false,
      },
    });
    expect(
      (made('workout', { ...given.data[0], source: 'manual', activity: 'unheard-of', calories: null }) as WorkoutRecord[])[0]?.detail,
    ).toMatchObject({
      sport: 'other',
      providerSport: 'unheard-of',
      activeEnergyKcal: null,
      manual: true,
    });
    expect(() => made('workout', { ...given.data[0], distance: -1 })).toThrow(new Drift('distance is negative'));
    expect(() => made('workout', { ...given.data[0], end_datetime: '2026-09-14T16:00:00+02:00' })).toThrow(
      new Drift('end_datetime is before start_datetime'),
    );
  });

  it('weight and height of the profile, filed under the day of the read where the person is', () => {
    const whereabouts = { ...nowhere, fallbackZone: 'Asia/Tokyo' };
    const given = JSON.parse(readFileSync(new URL('./fixtures/oura-api-personal-info.json', import.meta.url), 'utf8')) as object;
    const at = Date.parse('2026-09-15T20:00:00Z');
    const records = profileRecords(given, '', { now: at, whereabouts });
    expect(records).toMatchObject([
      {
        metric: 'body_weight',
        value: 72.5,
        undated: true,
        localDate: '2026-09-16',
        dateBasis: 'fallback_zone',
        timeZone: 'Asia/Tokyo',
        tzdb: 'test',
      },
      { metric: 'height', value: 175 },
    ]);
    expect(profileRecords({ weight: null }, '', read())).toEqual([]);
  });
});
