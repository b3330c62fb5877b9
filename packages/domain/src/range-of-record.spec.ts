import { describe, expect, it } from '@jest/globals';
import type { StoredRecord } from './health-record.js';
import { rangeOfRecord } from './range-of-record.js';
import type { Dated } from './record.js';

const dated: Dated = {
  providerRecordId: 'doc',
  source: { id: 'src', type: 'scale', manufacturer: undefined, model: undefined },
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
const pressure = (systolic: number, diastolic: number, pulse: number | null = null): StoredRecord => ({
  ...measured,
  metric: 'blood_pressure',
  parts: { systolic, diastolic, pulse },
});
const heart = (offsetsS: number[], values: number[]): StoredRecord => ({
  ...dated,
  kind: 'series',
  metric: 'heart_rate',
  workoutId: undefined,
  samples: { from: '2026-11-29T00:00:00.000Z', offsetsS, values, intervalS: undefined },
});
const ride = (end: string): StoredRecord =>
  ({ ...dated, kind: 'workout', start: '2026-11-29T06:00:00.000Z', end, endUtcOffsetS: 0, detail: {} }) as unknown as StoredRecord;

describe('how likely a record is, and where it is least likely', () => {
  it.each<[string, StoredRecord, string, string]>([
    ['a total', { ...dated, kind: 'daily', metric: 'steps', value: 200_001 }, 'impossible', 'steps.value'],
    ['a vendor score', { ...dated, kind: 'daily', metric: 'vendor.whoop.strain', value: 21.5 }, 'impossible', 'vendor.whoop.strain.value'],
    ['a weight', { ...measured, metric: 'body_weight', value: 210 }, 'implausible', 'body_weight.value'],
    ['a hypertensive crisis', pressure(230, 140), 'implausible', 'blood_pressure.parts.systolic'],
    ['a pressure the wrong way round', pressure(80, 120), 'impossible', 'blood_pressure.parts.diastolic'],
    ['equal pressures', pressure(90, 90), 'impossible', 'blood_pressure.parts.diastolic'],
    ['a pulse of none', pressure(120, 80, 0), 'impossible', 'blood_pressure.parts.pulse'],
    ['a plain pressure', pressure(120, 80, 60), 'plausible', ''],
    ['samples of a heart', heart([0, 5, 10], [60, 61, 62]), 'plausible', ''],
    ['a doubtful sample before an impossible one', heart([0, 5], [215, 251]), 'impossible', 'heart_rate.samples.values[1]'],
    ['a doubtful sample', heart([0, 5], [60, 215]), 'implausible', 'heart_rate.samples.values[1]'],
    ['two samples of one second', heart([0, 5, 5], [60, 60, 60]), 'impossible', 'heart_rate.samples.offsetsS[2]'],
    ['a sample before the start', heart([-1], [60]), 'impossible', 'heart_rate.samples.offsetsS[0]'],
    ['columns of different length', heart([0], [60, 61]), 'impossible', 'heart_rate.samples.values'],
    ['no samples', heart([], []), 'plausible', ''],
    ['a ride of an hour', ride('2026-11-29T07:00:00.000Z'), 'plausible', 'workout.end'],
    ['a ride of thirteen hours', ride('2026-11-29T19:00:00.000Z'), 'implausible', 'workout.end'],
    ['a ride of eight days', ride('2026-12-07T06:00:00.001Z'), 'impossible', 'workout.end'],
    ['a ride that ends before it begins', ride('2026-11-29T05:59:59.000Z'), 'impossible', 'workout.end'],
    ['a ride without an end', ride(''), 'impossible', 'workout.end'],
  ])('%s', (_, record, range, path) => {
    expect(rangeOfRecord(record)).toEqual({ range, path });
  });
});
