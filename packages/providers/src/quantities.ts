import {
  type DailyMetric,
  type DailyRecord,
  type Dated,
  type MetricFacts,
  type Quantity,
  type Unit,
  type UnitFor,
  canonical,
  dailyMetrics,
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
