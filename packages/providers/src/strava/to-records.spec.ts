import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { nowhere } from '../../testing/scripted-http.js';
import { Drift } from '../drift.js';
import * as make from './to-records.js';

type Json = Record<string, unknown>;
const fixture = (name: string): Json => JSON.parse(readFileSync(new URL(`./fixtures/strava-api-${name}.json`, import.meta.url), 'utf8'));
const now = { now: Date.parse('2026-10-01T00:00:00Z'), whereabouts: nowhere };
const activityRecords = (document: Json, at: string) => make.activityRecords(document, at, now);
const heartRateRecords = (document: Json, streams: Json) => make.heartRateRecords(document, streams, now);
const athleteRecords = (document: Json, at: string, instant: number) => make.athleteRecords(document, at, { ...now, now: instant });
const activity = fixture('activity');
const read = (changes: Json = {}) => activityRecords({ ...activity, ...changes }, 'at.')[0];
const detail = (changes: Json = {}) => read(changes)?.detail;

describe("Strava's activity", () => {
  it('is a workout under the local day of its start, by an instant that is really UTC', () => {
    expect(read()).toEqual({
      kind: 'workout',
      providerRecordId: '17654321987',
      source: { id: 'src_strava', type: 'app', manufacturer: 'Strava', model: 'Garmin Forerunner 265', originProvider: 'garmin' },
      localDate: '2026-09-14',
      dateBasis: 'provider_date',
      dayModel: 'civil',
      utcOffsetS: 7_200,
      timeZone: 'Europe/Prague',
      tzdb: 'test',
      provisional: false,
      version: undefined,
      coverageEnd: Date.parse('2026-09-14T16:41:04Z'),
      start: '2026-09-14T16:10:00.000Z',
      end: '2026-09-14T16:41:04.000Z',
      endUtcOffsetS: 7_200,
      detail: {
        sport: 'running',
        subSport: 'trail',
        environment: null,
        providerSport: 'TrailRun',
        elapsedS: 1_864,
        activeS: 1_830,
        distanceM: 5020.4,
        elevationGainM: 21.3,
        activeEnergyKcal: null,
        totalEnergyKcal: 318,
        workKj: null,
        hrAvg: 148.3,
        hrMax: 171,
        hrZonesS: null,
        powerAvgW: null,
        cadenceAvg: 158.2,
        steps: null,
        manual: false,
        hasRoute: false,
        hasStreams: true,
      },
    });
  });

  it.each([
    [{ external_id: 'garmin_ping_20417733901', device_name: 'Something' }, 'garmin'],
    [{ external_id: 'zwift-activity-1.fit', device_name: null }, 'zwift'],
    [{ external_id: null, device_name: 'Polar Vantage M2' }, 'polar'],
    [{ external_id: null, device_name: 'WHOOP 4.0' }, 'whoop'],
    [{ external_id: '4ab1.fit', device_name: 'Apple Watch Series 9' }, 'apple'],
    [{ external_id: '4ab1.fit', device_name: 'Strava Android App' }, undefined],
    [{ external_id: null, device_name: '' }, undefined],
  ])('says whose record it repeats: %j', (changes, originProvider) => {
    expect(read(changes)?.source.originProvider).toBe(originProvider);
  });

  it('keeps its zone, and goes without one that nobody knows', () => {
    expect(read({ timezone: '(GMT-08:00) America/Los_Angeles', utc_offset: -25_200 })).toMatchObject({
      timeZone: 'America/Los_Angeles',
      utcOffsetS: -25_200,
    });
    expect(read({ timezone: '(GMT+00:00) GMT-Atlantis' })?.timeZone).toBeUndefined();
    expect(read({ timezone: null, utc_offset: null })).toMatchObject({
      localDate: '2026-09-14',
      dateBasis: 'provider_date',
      utcOffsetS: undefined,
    });
  });

  it('is filed by the first ten characters of the false Z, on either side of midnight', () => {
    expect(read({ start_date: '2026-09-14T22:30:00Z', start_date_local: '2026-09-15T00:30:00Z' })?.localDate).toBe('2026-09-15');
    expect(read({ start_date: '2026-09-15T03:30:00Z', start_date_local: '2026-09-14T20:30:00Z', utc_offset: -25_200 })).toMatchObject({
      localDate: '2026-09-14',
      utcOffsetS: -25_200,
      start: '2026-09-15T03:30:00.000Z',
    });
    // A hidden start: the hour is not real, the day is.
    expect(read({ start_date_local: '2026-09-14T00:00:01Z' })?.localDate).toBe('2026-09-14');
  });

  it('takes kilojoules for work and not for what the body burnt', () => {
    expect(detail({ kilojoules: 612.4, calories: 0, sport_type: 'Ride' })).toMatchObject({ workKj: 612.4, totalEnergyKcal: null });
    expect(detail({ kilojoules: 612.4, calories: 684.2 })).toMatchObject({ workKj: 612.4, totalEnergyKcal: 684.2, activeEnergyKcal: null });
  });

  it('takes power only from a meter, and counts both feet', () => {
    expect(detail({ average_watts: 201.5, device_watts: true })?.powerAvgW).toBe(201.5);
    expect(detail({ average_watts: 201.5, device_watts: false })?.powerAvgW).toBe(null);
    expect(detail({ sport_type: 'Ride', average_cadence: 88.4 })?.cadenceAvg).toBe(88.4);
    expect(detail({ sport_type: 'Walk', average_cadence: 55 })?.cadenceAvg).toBe(110);
  });

  it('prefers the newer word for the sport, knows a trainer, and takes an unknown word for other', () => {
    expect(detail({ sport_type: 'Ride', trainer: true })).toMatchObject({ sport: 'cycling', subSport: 'indoor', environment: 'indoor' });
    expect(detail({ sport_type: 'Run', trainer: true })).toMatchObject({ sport: 'running', subSport: 'treadmill', environment: 'indoor' });
    expect(detail({ sport_type: 'VirtualRide', trainer: true })).toMatchObject({ sport: 'cycling', environment: 'virtual' });
    expect(detail({ sport_type: undefined })).toMatchObject({ sport: 'running', providerSport: 'Run' });
    expect(detail({ sport_type: 'Curling' })).toMatchObject({ sport: 'other', providerSport: 'Curling' });
  });

  it('has no heart rate where Strava says that there is none', () => {
    expect(detail({ has_heartrate: false })).toMatchObject({ hrAvg: null, hrMax: null });
  });

  it('that was typed in has no streams, and a way by its line or its start', () => {
    expect(detail({ manual: true })).toMatchObject({ manual: true, hasStreams: false });
    expect(detail({ map: { summary_polyline: 'abc' } })?.hasRoute).toBe(true);
    expect(detail({ start_latlng: [50.1, 14.4] })?.hasRoute).toBe(true);
  });

  it('keeps a zero and does not make one of nothing', () => {
    expect(detail({ distance: 0, total_elevation_gain: null })).toMatchObject({ distanceM: 0, elevationGainM: null });
    expect(read({ device_name: '' })?.source.model).toBeUndefined();
    expect(read({ utc_offset: null })?.utcOffsetS).toBe(7_200);
    expect(read({ utc_offset: null, timezone: null })?.utcOffsetS).toBeUndefined();
  });

  it.each([
    [{ id: '17654321987' }, 'at.id is no whole number'],
    [{ id: 1.5 }, 'at.id is no whole number'],
    [{ start_date: 'private' }, 'at.start_date is no instant with an offset'],
    [{ start_date_local: '2026-02-30T10:00:00Z' }, 'at.start_date_local begins with no civil day'],
    [{ start_date_local: '2026-02-280' }, 'at.start_date_local begins with no civil day'],
    [{ elapsed_time: 700_000 }, 'at.elapsed_time is out of any possible range'],
    [{ elapsed_time: -1 }, 'at.elapsed_time is negative'],
    [{ distance: 'private' }, 'at.distance is no number'],
    [{ calories: 'private' }, 'at.calories is no number'],
    [{ sport_type: 7 }, 'at.sport_type is no text'],
  ])('names the path of a fault and never the value: %j', (changes, message) => {
    expect(() => read(changes)).toThrow(new Drift(message));
  });
});

describe("Strava's heart rate", () => {
  const streams = (time: unknown, heartrate: unknown) =>
    heartRateRecords(activity, { time: { data: time }, heartrate: { data: heartrate } });
  const samples = (time: unknown, heartrate: unknown) => {
    const one = streams(time, heartrate)[0]?.samples;
    return one && [one.offsetsS, one.values];
  };

  it('is the samples of the workout, from its start, without those that were not measured', () => {
    expect(heartRateRecords(activity, fixture('streams-heartrate'))).toEqual([
      {
        kind: 'series',
        metric: 'heart_rate',
        workoutId: '17654321987',
        providerRecordId: '17654321987',
        source: { id: 'src_strava', type: 'app', manufacturer: 'Strava', model: 'Garmin Forerunner 265', originProvider: 'garmin' },
        localDate: '2026-09-14',
        dateBasis: 'provider_date',
        dayModel: 'civil',
        utcOffsetS: 7_200,
        provisional: false,
        version: undefined,
        timeZone: 'Europe/Prague',
        tzdb: 'test',
        coverageEnd: Date.parse('2026-09-14T16:10:05Z'),
        samples: { from: '2026-09-14T16:10:00.000Z', offsetsS: [0, 1, 5], values: [96, 97, 101], intervalS: undefined },
      },
    ]);
  });

  it('leaves out what no heart does, and a second that comes twice or late', () => {
    expect(samples([0, 1, 2, 2, 1, 3], [90, 0, 255, 91, 92, 93])).toEqual([
      [0, 2, 3],
      [90, 91, 93],
    ]);
  });

  it('is nothing when nothing was measured', () => {
    expect(streams([0, 1], [null, 0])).toEqual([]);
    expect(streams([], [])).toEqual([]);
    expect(heartRateRecords(activity, { time: { data: [0] } })).toEqual([]);
  });

  it.each([
    [[0], [90, 91], 'heartrate.data is not of the length of time.data'],
    [['private'], [90], 'time.data[0] is no whole number'],
    [[0], ['private'], 'heartrate.data[0] is no number'],
    ['private', [90], 'time.data is no list'],
  ])('names the path of a fault: %j %j', (time, heartrate, message) => {
    expect(() => streams(time, heartrate)).toThrow(new Drift(message));
  });
});

describe("Strava's athlete", () => {
  const weight = (changes: Json) => athleteRecords({ ...fixture('athlete'), ...changes }, '', Date.parse('2026-09-15T09:00:00Z'));

  it('has a weight without a time, or none', () => {
    expect(weight({})).toMatchObject([{ metric: 'body_weight', value: 72.5, undated: true, recordId: 'athlete/weight' }]);
    expect([weight({ weight: null }), weight({ weight: 0 })]).toEqual([[], []]);
    expect(() => weight({ weight: 72_500 })).toThrow(new Drift('weight is out of any possible range'));
  });
});
