import { type DailyRecord, type MeasurementRecord, civilDate, measurementMetrics, providerDay } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { canonicalValue, dailyValue, readQuantity } from '../quantities.js';
import { datedByLabel, polarWatch, readDay, readUnderscored } from './fields.js';

/** Seconds of the year 2286: whatever is beyond was written in milliseconds. */
const LAST_S = 10_000_000_000;

// Each takes one document and its path in its answer, ending in a dot or empty, and throws a Drift that names the path.

/** The skin in a night, under the day of its sleep. */
export function skinTemperatureRecords(value: unknown, at: string, read: ReadAt): DailyRecord[] {
  const document = readUnderscored(value, at);
  const dated = datedByLabel(readDay(document, 'sleep_date', at), 'skin-temperature', read);
  const [absolute, deviation] = ['sleep_time_skin_temperature_celsius', 'deviation_from_baseline_celsius'] as const;
  return [
    ...dailyValue('skin_temperature_night', readQuantity(document, absolute, 'Cel', at), dated, at + absolute),
    ...dailyValue('skin_temperature_deviation', readQuantity(document, deviation, 'K', at), dated, at + deviation),
  ];
}

/** When a test of the blood's oxygen was made; `test_time` is in seconds in one place and in milliseconds in another. */
export function spo2Time(value: unknown, at: string): { readonly ms: number; readonly offsetS: number | undefined } {
  const document = readUnderscored(value, at);
  const time = readNumber(document, 'test_time', at);
  if (time === null || time < 0) throw new Drift(`${at}test_time is no time`);
  const minutes = readNumber(document, 'time_zone_offset', at);
  return { ms: time > LAST_S ? time : time * 1000, offsetS: minutes === null ? undefined : Math.round(minutes * 60) };
}

/** A test that the person made; one that failed has no value. */
export function spo2Records(value: unknown, at: string, { now, whereabouts }: ReadAt): MeasurementRecord[] {
  const document = readUnderscored(value, at);
  const { ms, offsetS } = spo2Time(value, at);
  const percent = readQuantity(document, 'blood_oxygen_percent', '%', at);
  const status = readText(document, 'test_status', at) ?? 'SPO2_TEST_PASSED';
  if (percent === null || percent.value === 0 || status !== 'SPO2_TEST_PASSED') return [];
  const date = civilDate({ label: undefined, labelShift: 0, at: ms, offsetS, zone: undefined }, whereabouts);
  if (date === undefined) throw new Drift(`${at}test_time is no time`);
  const recordId = `spo2/${ms}`;
  return [
    {
      kind: 'measurement',
      metric: 'spo2',
      value: canonicalValue(measurementMetrics.spo2, percent, `${at}blood_oxygen_percent`),
      providerRecordId: recordId,
      recordId,
      source: polarWatch,
      ...dateFields(date, providerDay('polar', 'spo2', []), { now, closes: 'at_once' }),
      version: undefined,
      coverageEnd: ms,
      instant: new Date(ms).toISOString(),
      manual: false,
      ambiguous: false,
    },
  ];
}
