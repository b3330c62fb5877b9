import { describe, expect, it } from '@jest/globals';
import { nowhere } from '../../testing/scripted-http.js';
import { Drift } from '../drift.js';
import { skinTemperatureRecords, spo2Records } from './biosensing.js';

const read = { now: Date.parse('2027-01-01T00:00:00Z'), whereabouts: nowhere };
const complaint = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof Drift) return error.message;
    throw error;
  }
  return 'no complaint';
};
const dailies = (records: readonly object[]) =>
  records.map((record) => 'metric' in record && 'value' in record && [record.metric, record.value]);

describe('biosensing of Polar', () => {
  it('has the skin of a night under the day of its sleep', () => {
    const night = { sleep_time_skin_temperature_celsius: 35.82, deviation_from_baseline_celsius: -0.3, sleep_date: '2026-09-15' };
    const records = skinTemperatureRecords(night, '', read);
    expect(dailies(records)).toEqual([
      ['skin_temperature_night', 35.82],
      ['skin_temperature_deviation', -0.3],
    ]);
    expect(records[0]).toMatchObject({ providerRecordId: 'skin-temperature/2026-09-15', localDate: '2026-09-15', dayModel: 'night' });
    expect(dailies(skinTemperatureRecords({ ...night, deviation_from_baseline_celsius: null }, '', read))).toHaveLength(1);
  });

  const test = { test_time: 1_789_425_000, time_zone_offset: 120, test_status: 'SPO2_TEST_PASSED', blood_oxygen_percent: 95 };

  it('has tests of the blood at their instant, in seconds or in milliseconds', () => {
    for (const made of [test, { ...test, test_time: 1_789_425_000_000 }]) {
      expect(spo2Records(made, '', read)).toMatchObject([
        {
          kind: 'measurement',
          metric: 'spo2',
          value: 95,
          instant: '2026-09-14T22:30:00.000Z',
          localDate: '2026-09-15',
          dateBasis: 'record_offset',
        },
      ]);
    }
    expect(spo2Records({ ...test, test_status: 'SPO2_TEST_FAILED' }, '', read)).toEqual([]);
    expect(spo2Records({ ...test, blood_oxygen_percent: null }, '', read)).toEqual([]);
  });

  it('complains with the path', () => {
    expect(complaint(() => spo2Records({ ...test, test_time: null }, 'p.', read))).toBe('p.test_time is no time');
    expect(complaint(() => spo2Records({ ...test, blood_oxygen_percent: 0.95 }, 'p.', read))).toBe(
      'p.blood_oxygen_percent is out of any possible range',
    );
    expect(complaint(() => skinTemperatureRecords({ sleep_date: 'today' }, 'p.', read))).toBe('p.sleep_date is no civil day');
  });
});
