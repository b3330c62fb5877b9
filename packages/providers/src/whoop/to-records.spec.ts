import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type HealthRecord, type SleepRecord, recordContent } from '@tributary/domain';
import { Drift } from '../drift.js';
import { sleepOfDay } from './sleep-of-day.js';
import { nowhere } from '../../testing/scripted-http.js';
import * as make from './to-records.js';

type Json = Record<string, unknown>;
const fixture = (name: string): Json => JSON.parse(readFileSync(new URL(`./fixtures/whoop-api-${name}.json`, import.meta.url), 'utf8'));
const night = fixture('sleep-scored');
const nap = (fixture('sleep-collection')['records'] as Json[])[1] as Json;
const recovery = fixture('recovery');
const [openCycle, cycle] = fixture('cycle')['records'] as [Json, Json];
const workout = fixture('workout');
const read = { now: Date.parse('2026-10-01T00:00:00Z'), whereabouts: nowhere };
const sleep = sleepOfDay(night, '', read);
const onDay = (localDate: string, of = sleep) => ({ ...of, date: { ...of.date, localDate } });
function sleepRecords(document: Json, at: string): HealthRecord[] {
  const record = make.sleepRecord(document, at, read);
  return [record, ...make.nightRecords(document, at, record)];
}
const workoutRecords = (document: Json, at: string) => make.workoutRecords(document, at, read);
const cycleRecords = (document: Json, at: string, of: typeof sleep | undefined) => make.cycleRecords(document, at, of, read);
const micros = (text: string) => Date.parse(text) * 1000;
const valuesOf = (records: readonly HealthRecord[]) =>
  Object.fromEntries(records.flatMap((record) => (record.kind === 'daily' ? [[record.metric, record.value]] : [])));
const scored = (document: Json, changes: Json) => ({ ...document, score: { ...(document['score'] as Json), ...changes } });

describe("WHOOP's sleep", () => {
  const sleepOf = (changes: Json = {}, from = night) => sleepRecords({ ...from, ...changes }, '')[0] as SleepRecord;

  it('is a night under the day of waking, with the sums of its stages in seconds and its own version', () => {
    expect(sleepOf()).toEqual({
      kind: 'sleep',
      providerRecordId: '6c1f7b52-0b7e-4f8b-9b0f-1a2b3c4d5e6f',
      source: { id: 'src_whoop_band', type: 'band', manufacturer: 'WHOOP', model: undefined },
      localDate: '2026-09-15',
      dateBasis: 'record_offset',
      dayModel: 'night',
      utcOffsetS: 7_200,
      provisional: false,
      version: micros('2026-09-15T05:20:09.020Z'),
      coverageEnd: Date.parse('2026-09-15T04:41:30Z'),
      start: '2026-09-14T21:10:30.000Z',
      end: '2026-09-15T04:41:30.000Z',
      endUtcOffsetS: 7_200,
      detail: {
        isMain: true,
        isNap: false,
        inBedS: 27_060,
        asleepS: 25_080,
        awakeS: 1_980,
        lightS: 14_040,
        deepS: 4_860,
        remS: 6_180,
        latencyS: null,
        efficiencyPct: 92.7,
        hrAvg: null,
        hrMin: null,
        hrvRmssd: null,
        respiratoryRate: 14.1,
        stages: [],
      },
    });
    expect(valuesOf(sleepRecords(night, ''))).toEqual({
      sleep_duration: 25_080,
      respiratory_rate_night: 14.1,
      'vendor.whoop.sleep_performance': 90,
    });
  });

  it('is provisional and without values while its score is pending, and final without values when there can be none', () => {
    const pending = sleepRecords(fixture('sleep-pending'), '');
    expect(pending).toMatchObject([
      { provisional: true, version: micros('2026-09-15T05:02:11.410Z'), detail: { asleepS: null, inBedS: null } },
    ]);
    expect(sleepRecords({ ...night, score_state: 'UNSCORABLE' }, '')).toMatchObject([
      { provisional: false, detail: { asleepS: null, respiratoryRate: null, efficiencyPct: null } },
    ]);
  });

  it('that is a nap names no values of the night', () => {
    const records = sleepRecords({ ...night, nap: true }, '');
    expect(records).toMatchObject([{ kind: 'sleep', detail: { isNap: true, isMain: false } }]);
    expect(sleepRecords(nap, '')).toMatchObject([{ localDate: '2026-09-15', detail: { isNap: true } }]);
  });

  it('is the same content whoever reads it when: only WHOOP makes it final', () => {
    expect(recordContent(sleepOf())).toBe(recordContent(sleepOf()));
    expect(sleepOf().provisional).toBe(false);
    const soon = make.sleepRecord(night, '', { ...read, now: Date.parse('2026-09-15T05:21:00Z') });
    expect(recordContent(soon)).toBe(recordContent(sleepOf()));
  });

  it('C11: ends at midnight on the day that begins, by any offset that WHOOP writes', () => {
    const dayOf = (end: string, offset: string) => sleepOf({ start: '2026-09-14T20:00:00Z', end, timezone_offset: offset }).localDate;
    expect(dayOf('2026-09-14T22:00:00.000Z', '+02:00')).toBe('2026-09-15');
    expect(dayOf('2026-09-14T21:59:59.999Z', '+02:00')).toBe('2026-09-14');
    expect(dayOf('2026-09-15T04:59:59.000Z', '-0500')).toBe('2026-09-14');
    expect(dayOf('2026-09-15T04:00:00.000Z', 'Z')).toBe('2026-09-15');
    expect(dayOf('2026-09-14T22:00:00.000Z', '+05:45')).toBe('2026-09-15');
  });

  it('keeps a zero and does not make one of nothing', () => {
    const summary = (night['score'] as { stage_summary: Json }).stage_summary;
    const detail = (changes: Json) => sleepOf(scored(night, { stage_summary: { ...summary, ...changes } })).detail;
    expect(detail({ total_awake_time_milli: 0 }).awakeS).toBe(0);
    expect(detail({ total_rem_sleep_time_milli: null })).toMatchObject({ remS: null, asleepS: null, efficiencyPct: null });
    expect(detail({ total_in_bed_time_milli: 0 }).efficiencyPct).toBe(null);
  });

  it.each([
    [{ score_state: 'private' }, 'at.score_state is none that we know'],
    [{ score_state: undefined }, 'at.score_state is none that we know'],
    [{ nap: 'private' }, 'at.nap is neither true nor false'],
    [{ id: 7720193 }, 'at.id is no text'],
    [{ end: '2026-09-14T21:10:29Z' }, 'at.end is before start'],
    [{ end: '2026-09-17T21:10:29Z' }, 'at.end is out of any possible range'],
    [{ start: '2026-09-14T21:10:30' }, 'at.start is no instant with an offset'],
    [{ timezone_offset: 'private' }, 'at.timezone_offset is no offset'],
    [{ timezone_offset: undefined, zone_offset: '+02:00' }, 'at.timezone_offset is no offset'],
    [{ updated_at: 'private' }, 'at.updated_at is no instant with an offset'],
    [{ score: undefined }, 'at.score is no object'],
    [{ score: {} }, 'at.score.stage_summary is no object'],
    [{ score: { stage_summary: { total_awake_time_milli: -1 } } }, 'at.score.stage_summary.total_awake_time_milli is negative'],
    [{ score: { stage_summary: { total_awake_time_milli: 'private' } } }, 'at.score.stage_summary.total_awake_time_milli is no number'],
    [{ score: { stage_summary: {}, respiratory_rate: 71 } }, 'at.score.respiratory_rate is out of any possible range'],
  ])('names the path of a fault and never the value: %j', (changes, message) => {
    expect(() => sleepRecords({ ...night, ...changes }, 'at.')).toThrow(new Drift(message));
  });
});

describe("WHOOP's recovery", () => {
  const recovered = (changes: Json = {}, of = sleep) =>
    make.recoveryRecords({ ...recovery, ...changes }, '', { sleep: of, name: 'recovery/x', read });

  it('is the values of the night, under the day of its sleep', () => {
    expect(valuesOf(recovered())).toEqual({
      resting_heart_rate: 52,
      hrv_rmssd_night: 47.2,
      spo2_night_avg: 96.1,
      skin_temperature_night: 34.1,
      'vendor.whoop.recovery_score': 64,
    });
    expect(recovered()[0]).toMatchObject({
      providerRecordId: 'recovery/x',
      localDate: '2026-09-15',
      dayModel: 'night',
      provisional: false,
    });
  });

  it('leaves out what older bands do not measure', () => {
    const { spo2_percentage: _spo2, skin_temp_celsius: _temperature, ...old } = recovery['score'] as Json;
    expect(Object.keys(valuesOf(recovered({ score: old })))).toEqual([
      'resting_heart_rate',
      'hrv_rmssd_night',
      'vendor.whoop.recovery_score',
    ]);
  });

  it('is as new as the newer of itself and its sleep, which may move it to another day', () => {
    expect(recovered()[0]).toMatchObject({ version: micros('2026-09-15T05:20:09.020Z') });
    const moved = { ...onDay('2026-09-16'), version: sleep.version + 1 };
    expect(recovered({}, moved)[0]).toMatchObject({ version: sleep.version + 1, localDate: '2026-09-16' });
  });

  it('is nothing yet while pending, and no more when it cannot be scored', () => {
    expect(recovered({ score_state: 'PENDING_SCORE', score: undefined })).toEqual([]);
    expect(recovered({ score_state: 'UNSCORABLE', score: undefined })).toEqual([{ kind: 'deleted', providerRecordId: 'recovery/x' }]);
  });

  it('refuses an impossible value by its path', () => {
    expect(() => recovered(scored(recovery, { spo2_percentage: 0.96 }))).toThrow(
      new Drift('score.spo2_percentage is out of any possible range'),
    );
  });
});

describe("WHOOP's cycle", () => {
  it('is energy in kcal, heart rates and strain of the day of waking, and no civil day', () => {
    const records = cycleRecords(cycle, '', { ...onDay('2026-09-14'), version: 1 });
    expect(valuesOf(records)).toEqual({ total_energy: 2400.1, heart_rate_avg: 68, heart_rate_max: 171, 'vendor.whoop.strain': 12.44 });
    for (const record of records) {
      expect(record).toMatchObject({
        providerRecordId: 'cycle/935101121',
        localDate: '2026-09-14',
        dayModel: 'physiological_cycle',
        provisional: false,
        version: micros('2026-09-15T05:02:11.410Z'),
      });
    }
  });

  it('without a sleep counts for the day after an evening and the day of a morning', () => {
    const dayOf = (start: string) => (cycleRecords({ ...cycle, start }, '', undefined)[0] as { localDate: string }).localDate;
    expect(dayOf('2026-09-13T20:55:00.000Z')).toBe('2026-09-14');
    expect(dayOf('2026-09-13T23:30:00.000Z')).toBe('2026-09-14');
  });

  it('is provisional while it runs, and not filed under a guess before its sleep is known', () => {
    const running = { ...openCycle, score_state: 'SCORED', score: cycle['score'] };
    expect(cycleRecords(running, '', sleep)[0]).toMatchObject({ provisional: true, localDate: '2026-09-15' });
    expect(cycleRecords(running, '', undefined)).toEqual([]);
    expect(cycleRecords(openCycle, '', sleep)).toEqual([]);
  });

  it('that cannot be scored takes its values back', () => {
    expect(cycleRecords({ ...cycle, score_state: 'UNSCORABLE', score: undefined }, '', sleep)).toEqual([
      { kind: 'deleted', providerRecordId: 'cycle/935101121' },
    ]);
  });

  it('has a whole number for an id', () => {
    expect(() => cycleRecords({ ...cycle, id: 'private' }, 'at.', sleep)).toThrow(new Drift('at.id is no whole number'));
  });
});

describe("WHOOP's workout", () => {
  it('is filed under the day of its start, with energy in kcal and zones in seconds', () => {
    expect(workoutRecords(workout, '')).toEqual([
      {
        kind: 'workout',
        providerRecordId: 'b2d9a0e4-77c1-4b57-8f21-9e8d7c6b5a40',
        source: { id: 'src_whoop_band', type: 'band', manufacturer: 'WHOOP', model: undefined },
        localDate: '2026-09-14',
        dateBasis: 'record_offset',
        dayModel: 'civil',
        utcOffsetS: 7_200,
        provisional: false,
        version: micros('2026-09-14T16:55:44.310Z'),
        coverageEnd: Date.parse('2026-09-14T16:41:04Z'),
        start: '2026-09-14T16:10:00.000Z',
        end: '2026-09-14T16:41:04.000Z',
        endUtcOffsetS: 7_200,
        detail: {
          sport: 'running',
          subSport: null,
          environment: null,
          providerSport: 'running',
          elapsedS: 1_864,
          activeS: null,
          distanceM: 5020.4,
          elevationGainM: 21.3,
          activeEnergyKcal: null,
          totalEnergyKcal: 318,
          workKj: null,
          hrAvg: 148,
          hrMax: 171,
          hrZonesS: [0, 60, 180, 900, 660, 64],
          powerAvgW: null,
          cadenceAvg: null,
          steps: null,
          manual: false,
          hasRoute: false,
          hasStreams: false,
        },
      },
    ]);
  });

  it('knows that football is American, and takes a sport that nobody knows for other', () => {
    const sportOf = (name: string) => workoutRecords({ ...workout, sport_name: name }, '')[0]?.detail;
    expect(sportOf('football')).toMatchObject({ sport: 'american_football', providerSport: 'football' });
    expect(sportOf('underwater chess')).toMatchObject({ sport: 'other', providerSport: 'underwater chess' });
  });

  it('without a score has no values, and is provisional while one is to come', () => {
    expect(workoutRecords({ ...workout, score_state: 'PENDING_SCORE', score: undefined }, '')).toMatchObject([
      { provisional: true, detail: { totalEnergyKcal: null, hrAvg: null, hrZonesS: null, elapsedS: 1_864 } },
    ]);
    expect(workoutRecords({ ...workout, score_state: 'UNSCORABLE', score: undefined }, '')).toMatchObject([{ provisional: false }]);
  });

  it('C124 zones under the name of the wire or of the document; the name of the wire counts where both come', () => {
    const { zone_durations: zones, ...score } = workout['score'] as Json;
    const zonesOf = (changes: Json) => workoutRecords({ ...workout, score: { ...score, ...changes } }, '')[0]?.detail.hrZonesS;
    expect(zonesOf({ zone_duration: zones })).toEqual([0, 60, 180, 900, 660, 64]);
    expect(zonesOf({ zone_duration: { ...(zones as Json), zone_one_milli: 1 }, zone_durations: zones })).toEqual([
      0, 60, 180, 900, 660, 64,
    ]);
    expect(zonesOf({})).toBe(null);
  });

  it('refuses what cannot be', () => {
    expect(() => workoutRecords(scored(workout, { kilojoule: -1 }), 'at.')).toThrow(new Drift('at.score.kilojoule is negative'));
    expect(() => workoutRecords(scored(workout, { zone_durations: [] }), 'at.')).toThrow(new Drift('at.score.zone_durations is no object'));
  });
});

describe("WHOOP's body", () => {
  const at = (now: string, changes: Json = {}) =>
    make.bodyRecords({ ...fixture('body'), ...changes }, '', { now: Date.parse(now), whereabouts: nowhere });

  it('is weight and height as the profile has them, without a time', () => {
    expect(at('2026-09-15T09:00:00Z')).toMatchObject([
      { kind: 'measurement', metric: 'body_weight', value: 72.5, localDate: '2026-09-15', dateBasis: 'utc_assumed', version: undefined },
      { kind: 'measurement', metric: 'height', value: 175 },
    ]);
  });

  it('is no news on another day, unless a value changed', () => {
    const [before] = at('2026-09-15T09:00:00Z');
    const [after] = at('2026-09-16T09:00:00Z');
    const [lighter] = at('2026-09-16T09:00:00Z', { weight_kilogram: 72.4 });
    const content = (record: HealthRecord | undefined) => recordContent(record as SleepRecord);
    expect(content(after)).toBe(content(before));
    expect(content(lighter)).not.toBe(content(before));
    expect([before?.recordId, lighter?.recordId]).toEqual(['body/weight_kilogram', 'body/weight_kilogram']);
  });

  it('leaves out what was never entered, and refuses grams', () => {
    expect(at('2026-09-15T09:00:00Z', { height_meter: null })).toHaveLength(1);
    expect(() => at('2026-09-15T09:00:00Z', { weight_kilogram: 72_500 })).toThrow(
      new Drift('weight_kilogram is out of any possible range'),
    );
  });
});
