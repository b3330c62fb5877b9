import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addDays } from './civil-day.js';
import { daySpan, endOfDay, instantOfWallTime, isZone, limitOfDay, localDate, offsetAt, ownedSeconds, startOfDay } from './local-date.js';

const at = (text: string): number => Date.parse(text);
const H = 3600;

/** Days of instants: id, zone, then instant and day by turns. */
const instants: readonly (readonly [id: string, zone: string, days: Record<string, string>])[] = [
  ['C1', 'Pacific/Apia', { '2011-12-30T09:59:59Z': '2011-12-29' }],
  ['C2', 'Pacific/Apia', { '2011-12-30T10:00:00Z': '2011-12-31' }],
  ['C3', 'Asia/Kathmandu', { '2026-03-01T18:14:59Z': '2026-03-01', '2026-03-01T18:15:00Z': '2026-03-02' }],
  ['C4', 'America/Sao_Paulo', { '2018-11-04T02:59:59Z': '2018-11-03', '2018-11-04T03:00:00Z': '2018-11-04' }],
  [
    'C5',
    'America/Sao_Paulo',
    { '2018-02-18T01:30:00Z': '2018-02-17', '2018-02-18T02:30:00Z': '2018-02-17', '2018-02-18T03:00:00Z': '2018-02-18' },
  ],
  [
    'C6',
    'Europe/Lisbon',
    { '2026-03-28T23:59:59Z': '2026-03-28', '2026-03-29T00:00:00Z': '2026-03-29', '2026-03-29T23:00:00Z': '2026-03-30' },
  ],
  ['C7', 'Europe/Lisbon', { '2026-10-25T00:30:00Z': '2026-10-25', '2026-10-25T01:30:00Z': '2026-10-25' }],
  ['C8', 'Europe/Lisbon', { '2026-07-14T23:30:00Z': '2026-07-15', '2026-01-14T23:30:00Z': '2026-01-14' }],
  ['C9', 'Australia/Lord_Howe', { '2026-04-04T14:45:00Z': '2026-04-05', '2026-04-04T15:15:00Z': '2026-04-05' }],
  [
    'C10',
    'Australia/Lord_Howe',
    { '2026-10-03T13:29:59Z': '2026-10-03', '2026-10-03T13:30:00Z': '2026-10-04', '2026-10-04T13:00:00Z': '2026-10-05' },
  ],
  ['C11', 'Pacific/Kiritimati', { '2026-12-31T09:59:59Z': '2026-12-31', '2026-12-31T10:00:00Z': '2027-01-01' }],
  ['C12', 'Pacific/Pago_Pago', { '2026-01-01T10:59:59Z': '2025-12-31', '2026-01-01T11:00:00Z': '2026-01-01' }],
  ['C13', 'Pacific/Chatham', { '2026-01-15T10:20:00Z': '2026-01-16' }],
  ['C14', 'Pacific/Kwajalein', { '1993-08-21T11:59:59Z': '1993-08-20', '1993-08-21T12:00:00Z': '1993-08-22' }],
  [
    'C15',
    'America/Havana',
    { '2026-03-08T04:59:59Z': '2026-03-07', '2026-11-01T04:30:00Z': '2026-11-01', '2026-11-01T05:30:00Z': '2026-11-01' },
  ],
  ['C16', 'Asia/Beirut', { '2026-03-28T21:59:59Z': '2026-03-28', '2026-03-28T22:00:00Z': '2026-03-29' }],
  [
    'C17',
    'Africa/Cairo',
    { '2026-10-29T20:30:00Z': '2026-10-29', '2026-10-29T21:30:00Z': '2026-10-29', '2026-10-29T22:00:00Z': '2026-10-30' },
  ],
  ['C18', 'Antarctica/Troll', { '2026-03-28T23:59:59Z': '2026-03-28', '2026-03-29T00:00:00Z': '2026-03-29' }],
  ['C19', 'Africa/Casablanca', { '2026-02-15T12:00:00Z': '2026-02-15', '2026-03-22T12:00:00Z': '2026-03-22' }],
  ['C20', 'America/Nuuk', { '2026-03-28T12:00:00Z': '2026-03-28', '2026-10-24T12:00:00Z': '2026-10-24' }],
  ['C21', 'America/Asuncion', { '2026-03-01T02:30:00Z': '2026-02-28', '2026-07-01T03:30:00Z': '2026-07-01' }],
  ['C22', 'America/New_York', { '2026-11-01T05:30:00Z': '2026-11-01', '2026-11-01T06:30:00Z': '2026-11-01' }],
  [
    'C23',
    'America/St_Johns',
    { '2010-11-07T02:30:30Z': '2010-11-07', '2010-11-07T02:31:30Z': '2010-11-06', '2010-11-07T03:30:00Z': '2010-11-07' },
  ],
];

/** Spans of days: id, zone, day, hours, and the start where the case names it. */
const spans: readonly (readonly [id: string, zone: string, day: string, hours: number, start?: string])[] = [
  ['C2', 'Pacific/Apia', '2011-12-29', 24],
  ['C2', 'Pacific/Apia', '2011-12-30', 0, '2011-12-30T10:00:00.000Z'],
  ['C2', 'Pacific/Apia', '2011-12-31', 24, '2011-12-30T10:00:00.000Z'],
  ['C4', 'America/Sao_Paulo', '2018-11-04', 23, '2018-11-04T03:00:00.000Z'],
  ['C5', 'America/Sao_Paulo', '2018-02-17', 25],
  ['C6', 'Europe/Lisbon', '2026-03-29', 23, '2026-03-29T00:00:00.000Z'],
  ['C7', 'Europe/Lisbon', '2026-10-25', 25, '2026-10-24T23:00:00.000Z'],
  ['C9', 'Australia/Lord_Howe', '2026-04-05', 24.5, '2026-04-04T13:00:00.000Z'],
  ['C10', 'Australia/Lord_Howe', '2026-10-04', 23.5, '2026-10-03T13:30:00.000Z'],
  ['C14', 'Pacific/Kwajalein', '1993-08-21', 0, '1993-08-21T12:00:00.000Z'],
  ['C15', 'America/Havana', '2026-03-08', 23, '2026-03-08T05:00:00.000Z'],
  ['C15', 'America/Havana', '2026-11-01', 25],
  ['C16', 'Asia/Beirut', '2026-03-29', 23, '2026-03-28T22:00:00.000Z'],
  ['C17', 'Africa/Cairo', '2026-10-29', 25],
  ['C18', 'Antarctica/Troll', '2026-03-29', 22],
  ['C19', 'Africa/Casablanca', '2026-02-15', 25],
  ['C19', 'Africa/Casablanca', '2026-03-22', 23],
  ['C20', 'America/Nuuk', '2026-03-28', 23],
  ['C20', 'America/Nuuk', '2026-10-24', 25],
];

/** Instants that read the same on the wall, and are two: id, zone, the wall time, both. */
const twice: readonly (readonly [id: string, zone: string, wall: string, first: string, second: string])[] = [
  ['C5', 'America/Sao_Paulo', '23:30', '2018-02-18T01:30:00Z', '2018-02-18T02:30:00Z'],
  ['C7', 'Europe/Lisbon', '01:30', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
  ['C9', 'Australia/Lord_Howe', '01:45', '2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
  ['C15', 'America/Havana', '00:30', '2026-11-01T04:30:00Z', '2026-11-01T05:30:00Z'],
  ['C22', 'America/New_York', '01:30', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'],
];

/** Every rule of summer time that is odd today, half and quarter hours, both ends of the date line. */
const zones = [
  ...['Europe/Lisbon', 'America/New_York', 'America/Los_Angeles', 'America/Sao_Paulo', 'America/St_Johns', 'America/Havana'],
  ...['America/Nuuk', 'America/Asuncion', 'Asia/Kathmandu', 'Asia/Beirut', 'Asia/Gaza', 'Asia/Tokyo', 'Africa/Cairo'],
  ...['Africa/Casablanca', 'Africa/El_Aaiun', 'Antarctica/Troll', 'Australia/Lord_Howe', 'Australia/Eucla', 'Pacific/Chatham'],
  ...['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Pacific/Apia', 'Etc/GMT+12', 'UTC'],
];

describe('local dates', () => {
  it.each(instants)('%s in %s', (_id, zone, days) => {
    const found = Object.keys(days).map((instant) => [instant, localDate(at(instant), zone)]);
    expect(Object.fromEntries(found)).toEqual(days);
  });

  it.each(spans)('%s in %s: %s has %d hours', (_id, zone, day, hours, ...[start]) => {
    const span = daySpan(day, zone);
    expect((span.end - span.start) / 3_600_000).toBe(hours);
    if (start !== undefined) expect(new Date(span.start).toISOString()).toBe(start);
  });

  it.each(twice)('%s in %s: %s twice is two instants of one day', (_id, zone, wall, first, second) => {
    const clock = (ms: number) => new Date(ms + offsetAt(ms, zone) * 1000).toISOString().slice(11, 16);
    expect([clock(at(first)), clock(at(second))]).toEqual([wall, wall]);
    expect(at(second)).toBeGreaterThan(at(first));
    expect(localDate(at(first), zone)).toBe(localDate(at(second), zone));
  });

  it('of any instant in any zone, exactly one day owns it, and days touch', () => {
    const since2019 = fc.integer({ min: at('2019-01-01T00:00:00Z'), max: at('2037-12-31T00:00:00Z') });
    const place = fc.oneof(fc.constantFrom(...zones), fc.integer({ min: -86_400, max: 86_400 }));
    fc.assert(
      fc.property(since2019, place, (ms, zone) => {
        const day = localDate(ms, zone);
        const owners = [-2, -1, 0, 1, 2].map((n) => addDays(day, n)).filter((d) => ms >= startOfDay(d, zone) && ms < endOfDay(d, zone));
        expect(owners).toEqual([day]);
        expect(endOfDay(addDays(day, -1), zone)).toBe(startOfDay(day, zone));
        expect(localDate(startOfDay(day, zone), zone)).toBe(day);
        expect(localDate(startOfDay(day, zone) - 1, zone) < day).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('an offset and a zone that stands at it say the same', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2037-12-31T00:00:00Z') }),
        (zone, ms) => {
          expect(localDate(ms, offsetAt(ms, zone))).toBe(localDate(ms, zone));
        },
      ),
    );
  });

  it.each([
    ['Europe/Lisbon', true],
    ['UTC', true],
    ['Etc/GMT+8', true],
    ['GMT-08:00', false],
    ['+01:00', false],
    ['(GMT-08:00) America/Los_Angeles', false],
    ['Mars/Olympus', false],
    ['', false],
  ])('%j is a zone: %s', (name, expected) => {
    expect(isZone(name)).toBe(expected);
  });

  it.each([
    ['2026-10-25T01:30:00', 3600, '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T01:30', -1800, '2026-10-25T02:00:00.000Z'],
    ['2026-10-25T01:30:00Z', 0, undefined],
    ['2026-13-25T01:30:00', 0, undefined],
    ['2026-10-25', 0, undefined],
  ])('the wall time %s at %d s is %s', (text, offsetS, expected) => {
    const ms = instantOfWallTime(text, offsetS);
    expect(ms === undefined ? undefined : new Date(ms).toISOString()).toBe(expected);
  });
});

describe('days of someone who travels', () => {
  it('T1 Los Angeles to Tokyo: the day of the flight owns 8 h', () => {
    const stays = [
      { from: at('2026-01-01T00:00:00Z'), offsetS: -7 * H },
      { from: at('2026-05-02T15:00:00Z'), offsetS: 9 * H },
    ];
    expect(ownedSeconds('2026-05-02', stays)).toBe(8 * H);
    expect(limitOfDay(86_400, ownedSeconds('2026-05-02', stays))).toBe(8 * H);
    expect([localDate(at('2026-05-02T06:30:00Z'), -7 * H), localDate(at('2026-05-02T07:00:00Z'), -7 * H)]).toEqual([
      '2026-05-01',
      '2026-05-02',
    ]);
    expect([localDate(at('2026-05-02T15:00:00Z'), 9 * H), localDate(at('2026-05-02T16:00:00Z'), 9 * H)]).toEqual([
      '2026-05-03',
      '2026-05-03',
    ]);
  });

  it('T2 Tokyo to Los Angeles: the day of the flight owns 40 h, wherever in between it was', () => {
    fc.assert(
      fc.property(fc.integer({ min: at('2026-05-10T07:00:00Z'), max: at('2026-05-10T15:00:00Z') }), (landing) => {
        const stays = [
          { from: 0, offsetS: 9 * H },
          { from: landing, offsetS: -7 * H },
        ];
        expect(ownedSeconds('2026-05-10', stays)).toBe(40 * H);
      }),
    );
    expect([startOfDay('2026-05-10', 9 * H), endOfDay('2026-05-10', -7 * H)]).toEqual([
      at('2026-05-09T15:00:00Z'),
      at('2026-05-11T07:00:00Z'),
    ]);
    // Whatever the limit allows in a plain day, this one may hold more of.
    expect(limitOfDay(57_600, 40 * H)).toBe(96_000);
  });

  it('whoever stays at home has days of 24 h', () => {
    expect(ownedSeconds('2026-05-10', [{ from: at('2026-05-10T12:00:00Z'), offsetS: 0 }])).toBe(24 * H);
  });
});
