import { describe, expect, it } from '@jest/globals';
import { dayLabel, offsetOfText } from './civil-day.js';
import { closesAt, fitsDay, isProvisional } from './closed-day.js';
import {
  type CivilDate,
  type DateClues,
  type SessionClues,
  type Whereabouts,
  civilDate,
  mainSleep,
  nightDate,
  redated,
  sleepDate,
  workoutDate,
} from './date-record.js';
import { daySpan, instantOfWallTime } from './local-date.js';
import { providerDay } from './provider-day.js';

const H = 3600;
const nowhere: Whereabouts = { profile: [], fallbackZone: undefined, tzdb: '2025c' };
const profiled = (...zones: string[]): Whereabouts => ({ ...nowhere, profile: zones.map((zone) => ({ validFrom: 0, zone })) });
const fallback = (zone: string): Whereabouts => ({ ...nowhere, fallbackZone: zone });

type Clues = Partial<Omit<DateClues, 'at'>> & { readonly at?: string };
const clues = ({ at, ...rest }: Clues): DateClues => ({
  label: undefined,
  labelShift: 0,
  offsetS: undefined,
  zone: undefined,
  ...rest,
  at: at === undefined ? undefined : Date.parse(at),
});

type Session = Partial<Omit<SessionClues, 'start' | 'end'>>;
/** From two RFC 3339 texts, whose offsets are the record's; a `Z` is one that carries none. */
const session = (start: string, end: string, rest: Session = {}): SessionClues => {
  const offset = (text: string) => (text.endsWith('Z') ? undefined : offsetOfText(text));
  return {
    label: undefined,
    labelShift: 0,
    start: Date.parse(start),
    end: Date.parse(end),
    startOffsetS: offset(start),
    endOffsetS: offset(end),
    zone: undefined,
    ...rest,
  };
};

const seconds = (epochS: number): string => new Date(epochS * 1000).toISOString();

/** id, what the record says, what else is known, what must come of it. */
const rows: readonly (readonly [id: string, clues: Clues, whereabouts: Whereabouts, expected: Partial<CivilDate>])[] = [
  [
    'P1 Garmin summary: its calendarDate',
    { label: '2016-01-10', at: seconds(1_452_419_581), offsetS: 7200 },
    nowhere,
    { localDate: '2016-01-10', dateBasis: 'provider_date', utcOffsetS: 7200, providerDate: undefined },
  ],
  [
    'P2 Garmin activity: start and offset',
    { at: seconds(1_772_389_200), offsetS: 20_700 },
    nowhere,
    { localDate: '2026-03-02', dateBasis: 'record_offset', anomalies: [] },
  ],
  [
    'P3 Garmin with an offset that no place has: used, and counted',
    { at: seconds(1_772_389_200), offsetS: -86_400 },
    nowhere,
    { localDate: '2026-02-28', dateBasis: 'record_offset', anomalies: ['offset_unusual'] },
  ],
  [
    'P5 WHOOP with the offset Z',
    { at: '2026-03-01T23:59:00Z', offsetS: 0 },
    profiled('Asia/Tokyo'),
    { localDate: '2026-03-01', dateBasis: 'record_offset', utcOffsetS: 0 },
  ],
  [
    'P6 Strava: the false Z of start_date_local',
    { label: '2026-06-01T02:00:00Z', zone: 'America/Los_Angeles' },
    nowhere,
    { localDate: '2026-06-01', dateBasis: 'provider_date', timeZone: 'America/Los_Angeles' },
  ],
  [
    'P7 Strava in summer, with the standard offset in its label',
    { label: '2026-05-31T23:10:00Z', at: '2026-06-01T06:10:00Z', offsetS: -25_200, zone: '(GMT-08:00) America/Los_Angeles' },
    nowhere,
    { localDate: '2026-05-31', utcOffsetS: -25_200, timeZone: undefined, anomalies: ['zone_refused'] },
  ],
  [
    'P9 Withings activity: date and zone',
    { label: '2026-07-15', zone: 'Europe/Lisbon' },
    nowhere,
    { localDate: '2026-07-15', dateBasis: 'provider_date', timeZone: 'Europe/Lisbon' },
  ],
  [
    'P10 Withings measure: epoch, and the zone of the account',
    { at: seconds(1_784_071_800) },
    profiled('Europe/Lisbon'),
    { localDate: '2026-07-15', dateBasis: 'profile_zone', utcOffsetS: 3600, tzdb: '2025c' },
  ],
  [
    'P11 Wahoo with a fallback',
    { at: '2026-07-14T23:30:00Z' },
    fallback('Europe/Lisbon'),
    { localDate: '2026-07-15', dateBasis: 'fallback_zone', provisional: false },
  ],
  [
    'P11 Wahoo without one',
    { at: '2026-07-14T23:30:00Z' },
    nowhere,
    { localDate: '2026-07-14', dateBasis: 'utc_assumed', provisional: true, utcOffsetS: undefined, tzdb: undefined },
  ],
  [
    'P12 Oura sample: its own offset',
    { at: '2026-05-02T02:00:00-07:00', offsetS: -7 * H },
    nowhere,
    { localDate: '2026-05-02', dateBasis: 'record_offset' },
  ],
  [
    'P12 Oura total of the day from 04:00: its label',
    { label: '2026-05-01', at: '2026-05-02T02:00:00-07:00', offsetS: -7 * H },
    nowhere,
    { localDate: '2026-05-01', dateBasis: 'provider_date' },
  ],
  [
    'P13 Health Connect with an offset',
    { at: '2026-04-04T14:45:00Z', offsetS: 11 * H },
    profiled('Australia/Lord_Howe'),
    { localDate: '2026-04-05', dateBasis: 'record_offset' },
  ],
  [
    'P13 Health Connect without one',
    { at: '2026-04-04T14:45:00Z' },
    profiled('Australia/Lord_Howe'),
    { localDate: '2026-04-05', dateBasis: 'profile_zone', utcOffsetS: 11 * H },
  ],
  [
    'offset and zone disagree: the offset decides, the zone is kept, the anomaly counted',
    { at: '2026-07-14T23:30:00Z', offsetS: 0, zone: 'Europe/Lisbon' },
    nowhere,
    { localDate: '2026-07-14', dateBasis: 'record_offset', timeZone: 'Europe/Lisbon', anomalies: ['zone_disagrees'] },
  ],
  [
    'a zone of the record',
    { at: '2026-07-14T23:30:00Z', zone: 'Europe/Lisbon' },
    profiled('Asia/Tokyo'),
    { localDate: '2026-07-15', dateBasis: 'record_zone', utcOffsetS: 3600 },
  ],
  [
    'a zone that nobody knows: the next rung',
    { at: '2026-07-14T23:30:00Z', zone: 'Mars/Olympus' },
    profiled('Mars/Olympus'),
    { localDate: '2026-07-14', dateBasis: 'utc_assumed', anomalies: ['zone_refused'] },
  ],
  [
    'an offset of more than a day: the next rung',
    { at: '2026-07-14T23:30:00Z', offsetS: 86_401 },
    fallback('Europe/Lisbon'),
    { localDate: '2026-07-15', dateBasis: 'fallback_zone', anomalies: ['offset_refused'] },
  ],
  [
    'a label that is no day: the next rung',
    { label: '2026-02-30', at: '2026-03-01T12:00:00Z', offsetS: 0 },
    nowhere,
    { localDate: '2026-03-01', dateBasis: 'record_offset', anomalies: ['label_refused'], providerDate: undefined },
  ],
];

describe('the civil date of a record', () => {
  it.each(rows)('%s', (_id, given, whereabouts, expected) => {
    expect(civilDate(clues(given), whereabouts)).toMatchObject(expected);
  });

  it.each([
    [-12 * H, []],
    [14 * H, []],
    [-12 * H - 1, ['offset_unusual']],
    [14 * H + 1, ['offset_unusual']],
  ])('an offset of %d s: %j', (offsetS, anomalies) => {
    expect(civilDate(clues({ at: '2026-03-01T12:00:00Z', offsetS }), nowhere)?.anomalies).toEqual(anomalies);
  });

  it('neither a label nor an instant: no date, and none is made up', () => {
    expect(civilDate(clues({ offsetS: 0, zone: 'Europe/Lisbon' }), profiled('Europe/Lisbon'))).toBeUndefined();
  });

  it.each([NaN, Infinity, 8.64e15, -1e15])('%d is no instant: the label counts, and without one there is no date', (at) => {
    expect(civilDate({ ...clues({ label: '2026-03-01', offsetS: 0, zone: 'Europe/Lisbon' }), at }, nowhere)).toMatchObject({
      localDate: '2026-03-01',
      anomalies: ['instant_refused'],
    });
    expect(civilDate({ ...clues({ zone: 'Europe/Lisbon' }), at }, profiled('Europe/Lisbon'))).toBeUndefined();
    const broken = { ...session('2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'), end: at };
    expect([sleepDate(broken, nowhere), workoutDate(broken, nowhere)]).toEqual([undefined, undefined]);
  });

  it('P4 WHOOP sleep: its end at its offset', () => {
    const night = session('2026-03-01T10:20:00Z', '2026-03-01T18:20:00Z', { startOffsetS: 20_700, endOffsetS: 20_700 });
    expect(sleepDate(night, nowhere)).toMatchObject({ localDate: '2026-03-02', dateBasis: 'record_offset' });
  });

  it('P8 Polar: the same wall time at two offsets is two sessions of one day', () => {
    const starts = [60, 0].map((minutes) => instantOfWallTime('2026-10-25T01:30:00', minutes * 60) as number);
    expect(starts.map((ms) => new Date(ms).toISOString())).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']);
    expect(
      starts.map(
        (start) =>
          workoutDate(
            { ...session('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'), label: '2026-10-25T01:30:00', start, end: start },
            nowhere,
          )?.localDate,
      ),
    ).toEqual(['2026-10-25', '2026-10-25']);
  });

  it('P11 Wahoo: the zone is learned later, and the record moves', () => {
    const given = clues({ at: '2026-07-14T23:30:00Z' });
    const held = civilDate(given, nowhere) as CivilDate;
    const moved = redated(held, given, fallback('Europe/Lisbon'));
    expect(moved).toMatchObject({ localDate: '2026-07-15', dateBasis: 'fallback_zone', provisional: false });
    expect(redated(moved as CivilDate, given, fallback('Europe/Lisbon'))).toBeUndefined();
    // The same day on better ground is worth knowing too, though no key changes.
    expect(redated(held, given, fallback('Atlantic/Azores'))).toMatchObject({ localDate: '2026-07-14', dateBasis: 'fallback_zone' });
  });

  it('P12 Oura: the day of activity closes at 04:00 of the day after the next', () => {
    const { dayModel, startsAtH } = providerDay('oura', 'daily_activity', []);
    expect(dayModel).toBe('civil_0400');
    expect(new Date(closesAt('2026-05-01', -7 * H, startsAtH)).toISOString()).toBe('2026-05-03T11:00:00.000Z');
  });

  it('P14 a phone computes a closed day anew, elsewhere: ignored', () => {
    const here = daySpan('2026-05-01', 'America/Los_Angeles');
    const there = daySpan('2026-05-01', 'Asia/Tokyo');
    expect(fitsDay(here, there, true)).toBe('window_mismatch');
    expect(fitsDay(here, there, false)).toBe('fits');
    expect(fitsDay(here, { ...here }, true)).toBe('fits');
    expect(fitsDay(undefined, there, true)).toBe('fits');
  });

  it('P15 Google SpO2: labelled by the evening, filed under the morning, once that is turned on', () => {
    const dated = (...quirks: Parameters<typeof providerDay>[2]) => {
      const { labelShift } = providerDay('google', 'daily-oxygen-saturation', quirks);
      return civilDate(clues({ label: '2026-11-10', labelShift }), nowhere);
    };
    expect(dated('google_spo2_labelled_by_start_of_night')).toMatchObject({ localDate: '2026-11-11', providerDate: '2026-11-10' });
    expect(dated()).toMatchObject({ localDate: '2026-11-10', providerDate: undefined });
  });

  it.each([
    ['2026-06-01T02:00:00Z', '2026-06-01'],
    ['2026-06-01', '2026-06-01'],
    ['2026-06-01 02:00', '2026-06-01'],
    ['2026-06-011', undefined],
    ['2026-02-30T00:00:00Z', undefined],
    ['1 June', undefined],
  ])('the label in %j is %s', (text, expected) => {
    expect(dayLabel(text)).toBe(expected);
  });
});

describe('sleeps', () => {
  const cases: readonly (readonly [id: string, start: string, end: string, day: string, hours: number])[] = [
    ['S1', '2026-03-28T23:30:00+00:00', '2026-03-29T07:30:00+01:00', '2026-03-29', 7],
    ['S2', '2026-10-24T23:30:00+01:00', '2026-10-25T07:30:00+00:00', '2026-10-25', 9],
    ['S3', '2026-06-10T19:00:00+01:00', '2026-06-10T23:50:00+01:00', '2026-06-10', 4 + 50 / 60],
    ['S4', '2026-06-10T21:00:00+01:00', '2026-06-11T00:00:00+01:00', '2026-06-11', 3],
    ['S5', '2026-06-10T08:30:00+01:00', '2026-06-10T15:00:00+01:00', '2026-06-10', 6.5],
    ['S6', '2011-12-29T23:00:00-10:00', '2011-12-31T07:00:00+14:00', '2011-12-31', 8],
    ['S7', '2026-05-02T10:00:00-07:00', '2026-05-03T06:00:00+09:00', '2026-05-03', 4],
  ];
  it.each(cases)('%s from %s to %s is of %s, %d h', (_id, start, end, day, hours) => {
    const date = sleepDate(session(start, end), nowhere);
    expect(date).toMatchObject({ localDate: day, endLocalDate: day, dateBasis: 'record_offset', durationS: hours * H });
    expect([date?.utcOffsetS, date?.endUtcOffsetS]).toEqual([offsetOfText(start), offsetOfText(end)]);
  });

  it('S3 the day that the provider names wins', () => {
    const date = sleepDate(session('2026-06-10T19:00:00+01:00', '2026-06-10T23:50:00+01:00', { label: '2026-06-11' }), nowhere);
    expect(date).toMatchObject({ localDate: '2026-06-11', dateBasis: 'provider_date', endLocalDate: '2026-06-10' });
  });

  it('S5 the main one is the one that the provider names, else the longest that is no nap', () => {
    const shift = { recordId: 'shift', durationS: 6.5 * H, isNap: false, isMain: undefined };
    const nap = { recordId: 'nap', durationS: 7 * H, isNap: true, isMain: undefined };
    const short = { recordId: 'short', durationS: 2 * H, isNap: false, isMain: undefined };
    expect(mainSleep([short, nap, shift])).toBe('shift');
    expect(mainSleep([shift, { ...short, isMain: true }])).toBe('short');
    expect(mainSleep([{ ...shift, isMain: false }, short])).toBe('short');
    expect(mainSleep([nap])).toBeUndefined();
    expect(
      mainSleep([
        { ...short, recordId: 'b' },
        { ...short, recordId: 'a' },
      ]),
    ).toBe('a');
  });

  it('a nightly value is of the day of its sleep, whenever it was stamped', () => {
    const sleep = sleepDate(session('2026-06-10T22:00:00+01:00', '2026-06-11T06:00:00+01:00'), nowhere);
    const stamped = clues({ at: '2026-06-10T23:00:00+01:00', offsetS: H });
    expect(nightDate(sleep, stamped, nowhere)?.localDate).toBe('2026-06-11');
    expect(nightDate(undefined, stamped, nowhere)?.localDate).toBe('2026-06-10');
  });
});

describe('workouts', () => {
  it('W1 over midnight: the day of the start, whole; the day of the end stands beside it', () => {
    const run = session('2026-11-28T23:40:00+01:00', '2026-11-29T00:35:00+01:00');
    expect(workoutDate(run, nowhere)).toMatchObject({ localDate: '2026-11-28', endLocalDate: '2026-11-29', durationS: 55 * 60 });
  });

  it('one with an offset at the start alone ends at that offset', () => {
    const run = session('2026-11-28T22:40:00Z', '2026-11-28T23:35:00Z', { startOffsetS: H });
    expect(workoutDate(run, nowhere)).toMatchObject({ localDate: '2026-11-28', endLocalDate: '2026-11-29', endUtcOffsetS: H });
  });
});

describe('where a person was', () => {
  const moved: Whereabouts = {
    ...nowhere,
    profile: [
      { validFrom: Date.parse('2026-05-31T15:00:00Z'), zone: 'Asia/Tokyo' },
      { validFrom: Date.parse('2024-01-01T00:00:00Z'), zone: 'Europe/Lisbon' },
    ],
  };

  it('T3 data of before the move that come after it are dated where they were made', () => {
    expect(civilDate(clues({ at: '2026-05-20T23:30:00Z' }), moved)).toMatchObject({ localDate: '2026-05-21', timeZone: 'Europe/Lisbon' });
    expect(civilDate(clues({ at: '2026-06-20T15:30:00Z' }), moved)).toMatchObject({ localDate: '2026-06-21', timeZone: 'Asia/Tokyo' });
    expect(civilDate(clues({ at: '2023-05-20T23:30:00Z' }), moved)).toMatchObject({ localDate: '2023-05-20', dateBasis: 'utc_assumed' });
  });

  it('T3 the hour of the move is of the new zone', () => {
    expect(civilDate(clues({ at: '2026-05-31T15:00:00Z' }), moved)?.timeZone).toBe('Asia/Tokyo');
    expect(civilDate(clues({ at: '2026-05-31T14:59:59Z' }), moved)?.timeZone).toBe('Europe/Lisbon');
  });

  it('T3 what was dated by the profile of then is never dated anew', () => {
    const given = clues({ at: '2026-05-20T16:30:00Z' });
    const held = civilDate(given, { ...moved, profile: moved.profile.slice(1) }) as CivilDate;
    expect(redated(held, given, profiled('Asia/Tokyo'))).toBeUndefined();
  });

  it.each([
    ['in its zone, over a change of clocks', '2026-10-25', 'Europe/Lisbon', '2026-10-27T00:00:00.000Z'],
    ['in a zone of another length', '2026-03-29', 'Antarctica/Troll', '2026-03-30T22:00:00.000Z'],
    ['at an offset', '2026-09-14', 2 * H, '2026-09-15T22:00:00.000Z'],
    ['nobody knows where', '2026-09-14', undefined, '2026-09-16T12:00:00.000Z'],
  ])('a day closes a day after it has ended %s', (_name, day, zone, expected) => {
    expect(new Date(closesAt(day, zone, 0)).toISOString()).toBe(expected);
  });

  const closed = { closesAt: 1_000, providerSays: undefined, end: 0, placeUnknown: false };
  it.each([
    ['before its day closes', closed, 999, true],
    ['when its day is closed', closed, 1_000, false],
    ['while it runs, however long', { ...closed, providerSays: 'open' as const }, 9e12, true],
    ['while it is not judged', { ...closed, providerSays: 'tentative' as const }, 48 * 3_600_000 - 1, true],
    ['two days after its end, judged or not', { ...closed, providerSays: 'tentative' as const }, 48 * 3_600_000, false],
    ['that is final, before its day closes', { ...closed, providerSays: 'final' as const }, 999, true],
    ['while nobody knows where it was', { ...closed, placeUnknown: true }, 9e12, true],
  ])('a record %s is provisional: %#', (_name, standing, now, expected) => {
    expect(isProvisional(standing, now)).toBe(expected);
  });
});
