import { describe, expect, it } from '@jest/globals';
import { type Whereabouts, civilDate } from './date-record.js';
import { daySpan } from './local-date.js';

/** C1 to C23 of the contract (§4.6): instants at the edges of odd days, by the zone. */
const cases: Readonly<Record<string, readonly [zone: string, days: Readonly<Record<string, string>>]>> = {
  C1: ['Pacific/Apia', { '2011-12-30T09:59:59Z': '2011-12-29' }],
  C2: ['Pacific/Apia', { '2011-12-30T10:00:00Z': '2011-12-31' }],
  C3: ['Asia/Kathmandu', { '2026-03-01T18:14:59Z': '2026-03-01', '2026-03-01T18:15:00Z': '2026-03-02' }],
  C4: ['America/Sao_Paulo', { '2018-11-04T02:59:59Z': '2018-11-03', '2018-11-04T03:00:00Z': '2018-11-04' }],
  C5: [
    'America/Sao_Paulo',
    { '2018-02-18T01:30:00Z': '2018-02-17', '2018-02-18T02:30:00Z': '2018-02-17', '2018-02-18T03:00:00Z': '2018-02-18' },
  ],
  C6: [
    'Europe/Lisbon',
    { '2026-03-29T00:00:00Z': '2026-03-29', '2026-03-29T22:59:59Z': '2026-03-29', '2026-03-29T23:00:00Z': '2026-03-30' },
  ],
  C7: [
    'Europe/Lisbon',
    { '2026-10-25T00:30:00Z': '2026-10-25', '2026-10-25T01:30:00Z': '2026-10-25', '2026-10-26T00:00:00Z': '2026-10-26' },
  ],
  C8: ['Europe/Lisbon', { '2026-07-14T23:30:00Z': '2026-07-15', '2026-01-14T23:30:00Z': '2026-01-14' }],
  C9: [
    'Australia/Lord_Howe',
    { '2026-04-04T14:45:00Z': '2026-04-05', '2026-04-04T15:15:00Z': '2026-04-05', '2026-04-05T13:30:00Z': '2026-04-06' },
  ],
  C10: [
    'Australia/Lord_Howe',
    { '2026-10-03T13:29:59Z': '2026-10-03', '2026-10-03T13:30:00Z': '2026-10-04', '2026-10-04T13:00:00Z': '2026-10-05' },
  ],
  C11: ['Pacific/Kiritimati', { '2026-12-31T09:59:59Z': '2026-12-31', '2026-12-31T10:00:00Z': '2027-01-01' }],
  C12: ['Pacific/Pago_Pago', { '2026-01-01T10:59:59Z': '2025-12-31', '2026-01-01T11:00:00Z': '2026-01-01' }],
  C13: ['Pacific/Chatham', { '2026-01-15T10:20:00Z': '2026-01-16' }],
  C14: ['Pacific/Kwajalein', { '1993-08-21T11:59:59Z': '1993-08-20', '1993-08-21T12:00:00Z': '1993-08-22' }],
  C15: [
    'America/Havana',
    { '2026-03-08T05:00:00Z': '2026-03-08', '2026-11-01T04:30:00Z': '2026-11-01', '2026-11-01T05:30:00Z': '2026-11-01' },
  ],
  C16: ['Asia/Beirut', { '2026-03-28T21:59:59Z': '2026-03-28', '2026-03-28T22:00:00Z': '2026-03-29' }],
  C17: [
    'Africa/Cairo',
    { '2026-10-29T20:30:00Z': '2026-10-29', '2026-10-29T21:30:00Z': '2026-10-29', '2026-10-29T22:00:00Z': '2026-10-30' },
  ],
  C18: [
    'Antarctica/Troll',
    { '2026-03-29T00:00:00Z': '2026-03-29', '2026-03-29T21:59:59Z': '2026-03-29', '2026-03-29T22:00:00Z': '2026-03-30' },
  ],
  C19: ['Africa/Casablanca', { '2026-02-15T12:00:00Z': '2026-02-15', '2026-03-22T12:00:00Z': '2026-03-22' }],
  C20: ['America/Nuuk', { '2026-03-28T12:00:00Z': '2026-03-28', '2026-10-24T12:00:00Z': '2026-10-24' }],
  C21: ['America/Asuncion', { '2026-03-01T02:30:00Z': '2026-02-28', '2026-07-01T03:30:00Z': '2026-07-01' }],
  C22: ['America/New_York', { '2026-11-01T05:30:00Z': '2026-11-01', '2026-11-01T06:30:00Z': '2026-11-01' }],
  C23: [
    'America/St_Johns',
    { '2010-11-07T02:30:30Z': '2010-11-07', '2010-11-07T02:31:30Z': '2010-11-06', '2010-11-07T03:30:00Z': '2010-11-07' },
  ],
};

const nowhere: Whereabouts = { profile: [], fallbackZone: undefined, tzdb: '2025c' };
const bare = { label: undefined, labelShift: 0, offsetS: undefined, zone: undefined };

describe('the odd days of the world', () => {
  it('are all here', () => {
    expect(Object.keys(cases)).toEqual(Array.from({ length: 23 }, (_, n) => `C${n + 1}`));
  });

  it.each(Object.entries(cases))('%s: the same day on each rung that has a zone', (_id, [zone, days]) => {
    for (const [text, localDate] of Object.entries(days)) {
      const at = Date.parse(text);
      const of = (clues: object, whereabouts: Partial<Whereabouts>) => civilDate({ ...bare, at, ...clues }, { ...nowhere, ...whereabouts });
      expect(of({ zone }, {})).toMatchObject({ localDate, dateBasis: 'record_zone', tzdb: '2025c', anomalies: [] });
      expect(of({}, { profile: [{ zone, validFrom: -1e15 }] })).toMatchObject({ localDate, dateBasis: 'profile_zone', tzdb: '2025c' });
      expect(of({}, { fallbackZone: zone })).toMatchObject({ localDate, dateBasis: 'fallback_zone', tzdb: '2025c' });
    }
  });

  it('C055 an evening on the west coast is not the next morning of UTC', () => {
    const clues = { ...bare, at: Date.parse('2026-01-16T07:00:00Z'), offsetS: -8 * 3600 };
    expect(civilDate(clues, nowhere)).toMatchObject({ localDate: '2026-01-15', dateBasis: 'record_offset' });
    expect(civilDate({ ...clues, label: '2026-01-16' }, nowhere)).toMatchObject({ localDate: '2026-01-16', dateBasis: 'provider_date' });
  });

  it('C057 four days of Amsterdam over the end of summer time touch, and are 24, 25, 24 and 24 hours long', () => {
    const spans = ['2026-10-24', '2026-10-25', '2026-10-26', '2026-10-27'].map((day) => daySpan(day, 'Europe/Amsterdam'));
    expect(spans.map(({ start, end }) => (end - start) / 3_600_000)).toEqual([24, 25, 24, 24]);
    for (const [n, { end }] of spans.slice(0, -1).entries()) expect(spans[n + 1]?.start).toBe(end);
    expect(new Date(spans[0]?.start ?? 0).toISOString()).toBe('2026-10-23T22:00:00.000Z');
  });
});
