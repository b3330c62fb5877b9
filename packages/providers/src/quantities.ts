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
  civilDate,
  dailyMetrics,
  measurementMetrics,
  rangeOf,
} from '@tributary/domain';
import { type ReadAt, dateFields } from './date-fields.js';
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
  readonly read: ReadAt;
}

/** A value of a person's profile, which has no time: it is filed under the day of the read, and news only when it changes. @throws Drift */
export function profileValue<M extends ValueMetric>(
  metric: M,
  quantity: Quantity<UnitFor<(typeof measurementMetrics)[M]['unit']>> | null,
  { recordId, source, path, read }: ProfileField,
): MeasurementRecord[] {
  if (quantity === null) return [];
  const { now, whereabouts } = read;
  const date = civilDate({ label: undefined, labelShift: 0, at: now, offsetS: undefined, zone: undefined }, whereabouts);
  if (date === undefined) return [];
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
    ...dateFields(date, { dayModel: 'civil', startsAtH: 0, labelShift: 0 }, { now, closes: 'at_once' }),
    // Its date is that of the read and not of the value, so nothing about it is expected to change.
    provisional: false,
    version: undefined,
    manual: true,
    ambiguous: false,
  };
  return [record];
}
