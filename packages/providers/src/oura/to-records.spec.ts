import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { DailyRecord, SleepRecord } from '@tributary/domain';
import { Drift } from '../drift.js';
import { readList, toRecords } from './to-records.js';

const fixture = (name: string): Record<string, unknown>[] =>
  readList(JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'))).data as Record<string, unknown>[];
const day = fixture('daily-activity')[0] as Record<string, unknown>;
const [night, nap] = fixture('sleep') as [Record<string, unknown>, Record<string, unknown>];
const long = Date.parse('2027-01-01T00:00:00Z');
const activity = (changes: Record<string, unknown> = {}, now = long) =>
  toRecords('daily_activity', { ...day, ...changes }, '', now) as DailyRecord[];
const sleep = (changes: Record<string, unknown> = {}, from = night) =>
  toRecords('sleep', { ...from, ...changes }, '', long)[0] as SleepRecord;

describe("Oura's daily activity", () => {
  it('is four daily values under the day that Oura gives', () => {
    const records = activity();
    expect(Object.fromEntries(records.map((record) => [record.metric, record.value]))).toEqual({
      steps: 11_342,
      active_energy: 521,
      total_energy: 2_402,
      distance: 9_210,
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
      });
    }
  });

  it('leaves out a metric that was not measured, and keeps a zero', () => {
    expect(activity({ steps: null, active_calories: 0 }).map((record) => [record.metric, record.value])).toEqual([
      ['active_energy', 0],
      ['total_energy', 2_402],
      ['distance', 9_210],
    ]);
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
    expect(() => toRecords('daily_activity', value, 'data[3].', long)).toThrow(new Drift('data[3] is no object'));
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
    expect(toRecords('sleep', { id: 'x', type }, '', long)).toEqual([{ kind: 'deleted', providerRecordId: 'x' }]);
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
