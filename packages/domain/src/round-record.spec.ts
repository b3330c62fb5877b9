import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredRecord } from './health-record.js';
import { convert } from './quantity.js';
import { recordContent } from './record-content.js';
import type { Dated } from './record.js';
import { roundRecord } from './round-record.js';

const dated: Dated = {
  providerRecordId: 'doc',
  source: { id: 'src', type: 'watch', manufacturer: undefined, model: undefined },
  localDate: '2026-11-29',
  dateBasis: 'record_offset',
  dayModel: 'civil',
  utcOffsetS: 0,
  provisional: false,
  version: undefined,
};
const measured = {
  ...dated,
  kind: 'measurement',
  recordId: 'm',
  instant: '2026-11-29T06:00:00.000Z',
  manual: false,
  ambiguous: false,
} as const;

describe('what of a number counts as a change', () => {
  it.each<[StoredRecord, object]>([
    [{ ...dated, kind: 'daily', metric: 'steps', value: 8_431.4 }, { value: 8_431 }],
    [{ ...measured, metric: 'body_weight', value: 71.4500001 }, { value: 71.45 }],
    [
      { ...measured, metric: 'blood_pressure', parts: { systolic: 124.4, diastolic: 79.5, pulse: 61.04 } },
      { parts: { systolic: 124, diastolic: 80, pulse: 61 } },
    ],
    [
      { ...measured, metric: 'blood_pressure', parts: { systolic: 124, diastolic: 79, pulse: null } },
      { parts: { systolic: 124, diastolic: 79, pulse: null } },
    ],
    [
      {
        ...dated,
        kind: 'series',
        metric: 'heart_rate',
        workoutId: undefined,
        samples: { from: '2026-11-29T00:00:00.000Z', offsetsS: [0, 1], values: [60.04, 60.06], intervalS: undefined },
      },
      { samples: { values: [60, 60.1] } },
    ],
    [
      {
        ...dated,
        kind: 'workout',
        start: '',
        end: '',
        endUtcOffsetS: 0,
        detail: { distanceM: 9_120.3999, hrAvg: null, sport: 'running', hrZonesS: [1.25] },
      } as unknown as StoredRecord,
      { detail: { distanceM: 9_120.4, hrAvg: null, sport: 'running', hrZonesS: [1.25] } },
    ],
  ])('case %#', (record, expected) => {
    expect(roundRecord(record)).toMatchObject(expected);
    expect(roundRecord(roundRecord(record))).toEqual(roundRecord(record));
  });

  it('a value that went through another unit and back is the same content', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 150_000 }), (tenths) => {
        const kcal = tenths / 10;
        const content = (value: number) => recordContent(roundRecord({ ...dated, kind: 'daily', metric: 'total_energy', value }));
        expect(content(convert({ value: kcal * 4.184, unit: 'kJ' }, 'kcal'))).toBe(content(kcal));
      }),
    );
  });
});
