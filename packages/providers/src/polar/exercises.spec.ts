import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { nowhere } from '../../testing/scripted-http.js';
import { Drift } from '../drift.js';
import * as exercises from './exercises.js';

const read = { now: Date.parse('2027-01-01T00:00:00Z'), whereabouts: nowhere };
const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/polar-api-${name}.json`, import.meta.url), 'utf8'));
const exerciseRecords = (value: unknown, at: string) => exercises.exerciseRecords(value, at, read);
const complaint = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof Drift) return error.message;
    throw error;
  }
  return 'no complaint';
};

describe('exercises of Polar', () => {
  const exercise = fixture('exercise');

  it('are workouts at the wall time of their start, with minutes as their offset', () => {
    const [workout, series] = exerciseRecords(exercise, '');
    expect(workout).toEqual({
      kind: 'workout',
      providerRecordId: 'aQ9xK1',
      source: { id: 'src_polar_vantage_m2', type: 'watch', manufacturer: 'Polar', model: 'Polar Vantage M2' },
      localDate: '2026-09-14',
      dateBasis: 'provider_date',
      dayModel: 'civil',
      utcOffsetS: 7200,
      endUtcOffsetS: 7200,
      provisional: false,
      version: undefined,
      coverageEnd: Date.parse('2026-09-14T16:41:04Z'),
      start: '2026-09-14T16:10:00.000Z',
      end: '2026-09-14T16:41:04.000Z',
      detail: {
        sport: 'running',
        subSport: 'trail',
        environment: null,
        providerSport: 'TRAIL_RUNNING',
        elapsedS: 1864,
        activeS: null,
        distanceM: 5020,
        elevationGainM: null,
        activeEnergyKcal: null,
        totalEnergyKcal: 318,
        workKj: null,
        hrAvg: 148,
        hrMax: 171,
        hrZonesS: [62],
        powerAvgW: null,
        cadenceAvg: null,
        steps: null,
        manual: false,
        hasRoute: true,
        hasStreams: true,
      },
    });
    // The third sample is 0: no beat was felt.
    expect(series).toMatchObject({
      kind: 'series',
      metric: 'heart_rate',
      workoutId: 'aQ9xK1',
      samples: { from: '2026-09-14T16:10:00.000Z', offsetsS: [0, 5, 15, 20], values: [96, 97, 101, 148], intervalS: undefined },
    });
  });

  it('are the same with hyphens, and keep no serial number', () => {
    const hyphened = Object.fromEntries(Object.entries(exercise).map(([name, value]) => [name.replaceAll('_', '-'), value]));
    expect(exerciseRecords(hyphened, '')).toEqual(exerciseRecords(exercise, ''));
    expect(JSON.stringify(exerciseRecords(exercise, ''))).not.toContain('1A2B3C4D');
  });

  it('leave out what no heart does', () => {
    const samples = [{ 'recording-rate': 5, 'sample-type': '0', data: '96,300,97' }];
    expect(exerciseRecords({ ...exercise, samples }, '')[1]).toMatchObject({ samples: { offsetsS: [0, 10], values: [96, 97] } });
  });

  it('C124 one name written in two ways is read in both, and the last written one counts where both come', () => {
    const { start_time: _start, ...rest } = exercise;
    expect(exerciseRecords({ ...rest, 'start-time': '2026-09-14T19:10:00' }, '')[0]).toMatchObject({ start: '2026-09-14T17:10:00.000Z' });
    expect(exerciseRecords({ ...exercise, 'start-time': '2026-09-14T19:10:00' }, '')[0]).toMatchObject({
      start: '2026-09-14T17:10:00.000Z',
    });
  });

  it('C068 have durations in words and offsets in minutes', () => {
    const made = { ...exercise, duration: 'P1DT1H2M3.5S', start_time_utc_offset: -210 };
    expect(exerciseRecords(made, '')[0]).toMatchObject({ utcOffsetS: -12_600, detail: { elapsedS: 90_124 } });
  });

  it('cross midnight in UTC by their own wall, and fall back on the general sport', () => {
    const late = {
      id: 'x',
      start_time: '2026-09-15T00:30:00',
      start_time_utc_offset: 120,
      duration: 'PT1H',
      sport: 'CYCLING',
      detailed_sport_info: 'NEW_THING',
    };
    expect(exerciseRecords(late, '')).toMatchObject([
      {
        localDate: '2026-09-15',
        start: '2026-09-14T22:30:00.000Z',
        source: { id: 'src_polar_watch' },
        detail: { sport: 'cycling', providerSport: 'NEW_THING', distanceM: null, hrAvg: null, hrZonesS: null, hasStreams: false },
      },
    ]);
  });

  it.each([
    [{ ...exercise, id: '' }, 'p.id is no text'],
    [{ ...exercise, start_time: '2026-09-14T18:10:00Z' }, 'p.start_time is no wall time'],
    [{ ...exercise, start_time_utc_offset: null }, 'p.start_time_utc_offset is no offset'],
    [{ ...exercise, duration: 'PT' }, 'p.duration is no duration'],
    [{ ...exercise, duration: 'P1M' }, 'p.duration is no duration'],
    [{ ...exercise, duration: 'P8D' }, 'p.duration is out of any possible range'],
    [{ ...exercise, distance: -1 }, 'p.distance is negative'],
    [
      { ...exercise, samples: [{ 'recording-rate': 0, 'sample-type': '0', data: '1' }] },
      'p.samples[0].recording_rate is no number of seconds',
    ],
    [{ ...exercise, samples: [{ 'recording-rate': 5, 'sample-type': '0', data: '96,x' }] }, 'p.samples[0].data is no list of numbers'],
    ['private', 'p is no object'],
  ])('complain with the path and never the value (%#)', (value, said) => {
    expect(complaint(() => exerciseRecords(value, 'p.'))).toBe(said);
  });
});
