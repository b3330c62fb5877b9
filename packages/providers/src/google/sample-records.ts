import {
  type MeasurementRecord,
  type MetricFacts,
  type UnitFor,
  type ValueMetric,
  measurementMetrics,
  providerDay,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readText } from '../document-fields.js';
import { canonicalValue } from '../quantities.js';
import type { GoogleCollection } from './collections.js';
import { type Moment, dateOf, readCount, readInterval, readMoment } from './fields.js';
import { isManual, sourceOf } from './source.js';

interface MeasuredType<M extends ValueMetric = ValueMetric> {
  readonly metric: M;
  readonly unit: UnitFor<(typeof measurementMetrics)[M]['unit']>;
  /** Where in a point it stands, and where in that its number. */
  readonly member: string;
  readonly field: string;
  /** Of what the field is a part, where it is. */
  readonly within?: string;
  /** Told by an interval rather than by an instant. */
  readonly lasts?: true;
}

const type = <M extends ValueMetric>(facts: MeasuredType<M>) => facts as unknown as MeasuredType;

/** In what field and unit a measurement comes. */
const measured = {
  weight: type({ member: 'weight', field: 'weightGrams', metric: 'body_weight', unit: 'g' }),
  height: type({ member: 'height', field: 'heightMillimeters', metric: 'height', unit: 'mm' }),
  'body-fat': type({ member: 'bodyFat', field: 'percentage', metric: 'body_fat_percentage', unit: '%' }),
  'blood-glucose': type({
    member: 'bloodGlucose',
    field: 'bloodGlucoseMilligramsPerDeciliter',
    metric: 'blood_glucose',
    unit: 'mg/dL',
  }),
  'core-body-temperature': type({ member: 'coreBodyTemperature', field: 'temperatureCelsius', metric: 'body_temperature', unit: 'Cel' }),
  'hydration-log': type({
    member: 'hydrationLog',
    within: 'amountConsumed',
    field: 'milliliters',
    metric: 'hydration_intake',
    unit: 'mL',
    lasts: true,
  }),
  // Only one of two numbers; the other is a sample of the night (sample-series.ts).
  'heart-rate-variability': type({
    member: 'heartRateVariability',
    field: 'standardDeviationMilliseconds',
    metric: 'hrv_sdnn',
    unit: 'ms',
  }),
} as const satisfies Partial<Record<GoogleCollection, MeasuredType>>;

export type MeasuredCollection = keyof typeof measured;

export function isMeasured(collection: GoogleCollection): collection is MeasuredCollection {
  return Object.hasOwn(measured, collection);
}

/** Whether its times are intervals, which a filter names in another way. */
export function lasts(collection: MeasuredCollection): boolean {
  return measured[collection].lasts === true;
}

/** One measurement; none when the point holds no value. @param at path of the point, ending in a dot. @throws Drift */
export function measurementRecords(collection: MeasuredCollection, value: unknown, at: string, read: ReadAt): MeasurementRecord[] {
  const point = readDocument(value, at);
  const { member, field, within, metric, unit, lasts: isLong } = measured[collection];
  const path = `${at}${member}.`;
  const held = readDocument(point[member], path);
  const fieldAt = within === undefined ? path : `${path}${within}.`;
  const count = readCount(within === undefined ? held : readDocument(held[within] ?? {}, fieldAt), field, fieldAt);
  if (count === null) return [];
  const taken = isLong ? readInterval(held, path).start : sampleMoment(held, path);
  const date = dateOf(taken, read.whereabouts, `${path}time`);
  const instant = new Date(taken.ms).toISOString();
  // Most points have no name; then one source measures one thing once at one instant.
  const recordId = (readText(point, 'name', at) ?? '').split('/').at(-1) || `${collection}/${instant}`;
  const facts: MetricFacts = measurementMetrics[metric];
  return [
    {
      kind: 'measurement',
      metric,
      value: canonicalValue(facts, { value: count, unit }, `${fieldAt}${field}`),
      ...dateFields(date, providerDay('google', collection, []), { now: read.now, closes: 'at_once' }),
      providerRecordId: recordId,
      recordId,
      instant,
      manual: isManual(point),
      ambiguous: false,
      source: sourceOf(point, at),
      version: undefined,
      coverageEnd: taken.ms,
    },
  ];
}

/** @throws Drift */
export function sampleMoment(value: Document, path: string): Moment {
  return readMoment(readDocument(value['sampleTime'], `${path}sampleTime.`), ['physicalTime', 'utcOffset'], `${path}sampleTime.`);
}
