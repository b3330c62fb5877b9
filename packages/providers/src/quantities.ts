import {
  type DailyMetric,
  type DailyRecord,
  type Dated,
  type MeasurementRecord,
  type MetricFacts,
  type Quantity,
  type Source,
  type Unit,
  type UnitFor,
  type ValueMetric,
  canonical,
  civilDayAt,
  dailyMetrics,
  measurementMetrics,
  rangeOf,
} from '@tributary/domain';
import { type Document, readNumber } from './document-fields.js';
import { Drift } from './drift.js';

/** A field with the unit in which its provider gives it; null when it was not measured. @throws Drift */
export function readQuantity<U extends string>(document: Document, field: string, unit: U, at: string): Quantity<U> | null {
  const value = readNumber(document, field, at);
  return value === null ? null : { value, unit };
}

/** In the metric's own unit, rounded to what counts as a change. @throws Drift when no body can have it. */
export function canonicalValue<U extends Unit>(
  facts: MetricFacts & { readonly unit: U },
  quantity: Quantity<UnitFor<U>>,
  path: string,
): number {
  const value = canonical(facts, quantity);
  if (rangeOf(facts, value) === 'impossible') throw new Drift(`${path} is out of any possible range`);
  return value;
}

/** One value of a day, or none when it was not measured. @param path of the field in its answer. @throws Drift */
export function dailyValue<M extends DailyMetric>(
  metric: M,
  quantity: Quantity<UnitFor<(typeof dailyMetrics)[M]['unit']>> | null,
  dated: Dated,
  path: string,
): DailyRecord[] {
  if (quantity === null) return [];
  const facts = dailyMetrics[metric] as MetricFacts & { readonly unit: (typeof dailyMetrics)[M]['unit'] };
  return [{ kind: 'daily', metric, value: canonicalValue(facts, quantity, path), ...dated }];
}

interface ProfileField {
  /** Stays the same for ever: the profile has one value, and a new one replaces it. */
  readonly recordId: string;
  readonly source: Source;
  /** Of the field in its answer. */
  readonly path: string;
  /** Epoch milliseconds of the read. */
  readonly now: number;
}

/** A value of a person's profile, which has no time: it is filed under the day of the read, and news only when it changes. @throws Drift */
export function profileValue<M extends ValueMetric>(
  metric: M,
  quantity: Quantity<UnitFor<(typeof measurementMetrics)[M]['unit']>> | null,
  { recordId, source, path, now }: ProfileField,
): MeasurementRecord[] {
  if (quantity === null) return [];
  const facts = measurementMetrics[metric] as MetricFacts & { readonly unit: (typeof measurementMetrics)[M]['unit'] };
  const record: MeasurementRecord = {
    kind: 'measurement',
    metric,
    providerRecordId: recordId,
    recordId,
    source,
    value: canonicalValue(facts, quantity, path),
    instant: new Date(now).toISOString(),
    undated: true,
    localDate: civilDayAt(now, 0),
    dateBasis: 'utc_assumed',
    dayModel: 'civil',
    utcOffsetS: undefined,
    provisional: false,
    version: undefined,
    manual: true,
    ambiguous: false,
  };
  return [record];
}
