import {
  type Dated,
  type HealthRecord,
  type MeasurementRecord,
  civilDate,
  measurementMetrics,
  providerDay,
  versionFromText,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { canonicalValue, dailyValue, readQuantity } from '../quantities.js';
import { datedByLabel, polarWatch, readDay, readDuration, readUnderscored } from './fields.js';

// Each takes one document and its path in its answer, ending in a dot or empty, and throws a Drift that names the path.

/** The day of an activity: the label of its samples where they came too, else that of its start. Its times have no zone. */
export function activityDay(value: unknown, at: string): string {
  const document = readUnderscored(value, at);
  const { samples } = document;
  const labelled = samples === undefined || samples === null ? undefined : readUnderscored(samples, `${at}samples.`);
  return labelled?.['date'] === undefined ? readDay(document, 'start_time', at) : readDay(labelled, 'date', `${at}samples.`);
}

/** Totals of a day. Its samples are not added up: equal ones that follow each other are left out of them. */
export function activityRecords(value: unknown, at: string, read: ReadAt): HealthRecord[] {
  const document = readUnderscored(value, at);
  const label = activityDay(value, at);
  const dated: Dated = { ...datedByLabel(label, 'activities', read), providerRecordId: `activity/${label}` };
  const seconds = (field: string) => {
    const duration = readDuration(document, field, at);
    return duration === null ? null : ({ value: duration, unit: 's' } as const);
  };
  const number = <U extends string>(field: string, unit: U) => readQuantity(document, field, unit, at);
  const active = number('active_calories', 'kcal');
  const total = number('calories', 'kcal');
  const basal =
    active === null || total === null || total.value < active.value ? null : ({ value: total.value - active.value, unit: 'kcal' } as const);
  return [
    ...dailyValue('steps', number('steps', '{steps}'), dated, `${at}steps`),
    ...dailyValue('distance', number('distance_from_steps', 'm'), dated, `${at}distance_from_steps`),
    ...dailyValue('active_energy', active, dated, `${at}active_calories`),
    ...dailyValue('total_energy', total, dated, `${at}calories`),
    ...dailyValue('basal_energy', basal, dated, `${at}calories`),
    ...dailyValue('active_duration', seconds('active_duration'), dated, `${at}active_duration`),
    ...dailyValue('sedentary_duration', seconds('inactive_duration'), dated, `${at}inactive_duration`),
  ];
}

/** What Polar works out of a night. Its `heart_rate_avg` is of four hours of sleep, and no resting heart rate. */
export function rechargeRecords(value: unknown, at: string, read: ReadAt): HealthRecord[] {
  const document = readUnderscored(value, at);
  const dated = datedByLabel(readDay(document, 'date', at), 'nightly-recharge', read);
  const number = <U extends string>(field: string, unit: U) => readQuantity(document, field, unit, at);
  return [
    ...dailyValue('hrv_rmssd_night', number('heart_rate_variability_avg', 'ms'), dated, `${at}heart_rate_variability_avg`),
    ...dailyValue('respiratory_rate_night', number('breathing_rate_avg', '/min'), dated, `${at}breathing_rate_avg`),
    ...dailyValue('vendor.polar.ans_charge', number('ans_charge', '{score}'), dated, `${at}ans_charge`),
    ...dailyValue(
      'vendor.polar.nightly_recharge_status',
      number('nightly_recharge_status', '{score}'),
      dated,
      `${at}nightly_recharge_status`,
    ),
  ];
}

/** The profile's own values; `modified` is when any of them last changed, in UTC. */
export function physicalRecords(value: unknown, at: string, { now, whereabouts }: ReadAt): HealthRecord[] {
  const document = readUnderscored(value, at);
  const text = readText(document, 'modified', at) ?? '';
  const version = versionFromText(text);
  if (version === undefined) throw new Drift(`${at}modified is no instant with an offset`);
  const ms = Math.floor(version / 1000);
  const date = civilDate({ label: undefined, labelShift: 0, at: ms, offsetS: undefined, zone: undefined }, whereabouts);
  if (date === undefined) throw new Drift(`${at}modified is no instant with an offset`);
  const dated: Dated = {
    providerRecordId: 'physical-info',
    source: polarWatch,
    ...dateFields(date, providerDay('polar', 'physical-info', []), { now, closes: 'at_once' }),
    version,
    coverageEnd: ms,
  };
  return [
    ...profileValue('body_weight', 'weight', { document, at, dated, ms }),
    ...profileValue('height', 'height', { document, at, dated, ms }),
    ...dailyValue('vo2max_estimate', readQuantity(document, 'vo2_max', 'mL/min/kg', at), dated, `${at}vo2_max`),
  ];
}

function profileValue(
  metric: 'body_weight' | 'height',
  field: string,
  { document, at, dated, ms }: { document: Document; at: string; dated: Dated; ms: number },
): MeasurementRecord[] {
  const number = readNumber(document, field, at);
  if (number === null) return [];
  const value =
    metric === 'height'
      ? canonicalValue(measurementMetrics.height, { value: number, unit: 'cm' }, at + field)
      : canonicalValue(measurementMetrics.body_weight, { value: number, unit: 'kg' }, at + field);
  return [
    {
      ...dated,
      kind: 'measurement',
      metric,
      recordId: `physical-info/${field}`,
      instant: new Date(ms).toISOString(),
      value,
      manual: metric === 'height' || readText(document, 'weight_source', at) !== 'SOURCE_MEASURED',
      ambiguous: false,
    },
  ];
}
