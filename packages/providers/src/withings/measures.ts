import {
  type MeasurementRecord,
  type MetricFacts,
  type Source,
  type UnitFor,
  type ValueMetric,
  bloodPressureParts,
  localDate,
  measurementMetrics,
  offsetAt,
} from '@tributary/domain';
import { type Document, readDocument, readNumber } from '../document-fields.js';
import { Drift } from '../drift.js';
import { canonicalValue } from '../quantities.js';
import { type DatedByWithings, readEpoch, readListId, readModified, readZone, sourceOf, typedIn } from './fields.js';

interface MeasureType<M extends ValueMetric = ValueMetric> {
  readonly metric: M;
  readonly unit: (value: number) => UnitFor<(typeof measurementMetrics)[M]['unit']>;
}

const one = <M extends ValueMetric>(metric: M, unit: UnitFor<(typeof measurementMetrics)[M]['unit']>): MeasureType => ({
  metric,
  unit: () => unit as never,
});

/** `meastype`. Where two numbers mean one metric, the more exact comes first. Left out: segments, pulse waves, scores, ECG. */
const types = new Map<number, MeasureType>([
  [1, one('body_weight', 'kg')],
  [4, one('height', 'm')],
  [5, one('lean_body_mass', 'kg')],
  [6, one('body_fat_percentage', '%')],
  [8, one('fat_mass', 'kg')],
  [71, one('body_temperature', 'Cel')],
  [12, one('body_temperature', 'Cel')],
  [73, one('skin_temperature', 'Cel')],
  [76, one('muscle_mass', 'kg')],
  [77, one('body_water_mass', 'kg')],
  [88, one('bone_mass', 'kg')],
  // 0.95 or 95: both are seen.
  [54, { metric: 'spo2', unit: (value) => (value <= 1 ? '1' : '%') as never }],
]);
const DIASTOLIC = 9;
const SYSTOLIC = 10;
const PULSE = 11;

/** A measure may be a goal (2). */
const MEASURED = 1;
/** `attrib`: whose it is, and how it came. */
const AMBIGUOUS = 1;
const typed: ReadonlySet<number> = new Set([2, 4]);

/** Groups have no zone of their own: the answer's is the person's of now, which a journey makes wrong. */
export function zoneOfAnswer(body: Document): string | undefined {
  return readZone(body, 'body.');
}

/**
 * One group of measures of one moment: a weighing, or one inflation of a cuff. Goals give nothing.
 * @throws Drift naming the path.
 */
export function measureRecords(value: unknown, at: string, zone: string | undefined): MeasurementRecord[] {
  const group = readDocument(value, at);
  const category = readNumber(group, 'category', at);
  if (category !== null && category !== MEASURED) return [];
  const attrib = readNumber(group, 'attrib', at) ?? 0;
  const ms = readEpoch(group, 'date', at);
  const manual = typed.has(attrib);
  const providerRecordId = readListId(group, 'grpid', at);
  const dated = {
    kind: 'measurement',
    recordId: providerRecordId,
    instant: new Date(ms).toISOString(),
    manual,
    ambiguous: attrib === AMBIGUOUS,
    ...datedIn(zone, ms, { providerRecordId, source: manual ? typedIn : sourceOf(group, at), version: readModified(group, at) }),
  } as const;
  const measured = numbersOf(group, at);
  const records = new Map<ValueMetric, MeasurementRecord>();
  for (const [type, { metric, unit }] of types) {
    const found = measured.get(type);
    if (found === undefined || records.has(metric)) continue;
    const facts = measurementMetrics[metric] as MetricFacts;
    const quantity = { value: found.value, unit: unit(found.value) } as never;
    records.set(metric, { ...dated, metric, value: canonicalValue(facts, quantity, found.path) });
  }
  return [...records.values(), ...heart(dated, measured)];
}

interface Found {
  readonly value: number;
  readonly path: string;
}

type DatedMeasure = Omit<MeasurementRecord, 'metric' | 'value' | 'parts'>;

/** Pressures of one group are one inflation; a pulse with none is the heart rate that a scale felt. */
function heart(dated: DatedMeasure, measured: ReadonlyMap<number, Found>): MeasurementRecord[] {
  const part = (found: Found, name: keyof typeof bloodPressureParts) => {
    const facts: MetricFacts = bloodPressureParts[name];
    return canonicalValue(facts, { value: found.value, unit: facts.unit } as never, found.path);
  };
  const [systolic, diastolic, pulse] = [measured.get(SYSTOLIC), measured.get(DIASTOLIC), measured.get(PULSE)];
  if (systolic !== undefined && diastolic !== undefined) {
    const parts = {
      systolic: part(systolic, 'systolic'),
      diastolic: part(diastolic, 'diastolic'),
      pulse: pulse === undefined || pulse.value <= 0 ? null : part(pulse, 'pulse'),
    };
    if (parts.systolic <= parts.diastolic) throw new Drift(`${systolic.path} is not above the diastolic pressure`);
    return [{ ...dated, metric: 'blood_pressure', parts }];
  }
  if (pulse === undefined || pulse.value <= 0 || systolic !== undefined || diastolic !== undefined) return [];
  const value = canonicalValue(measurementMetrics.heart_rate, { value: pulse.value, unit: '/min' }, pulse.path);
  return [{ ...dated, metric: 'heart_rate', value }];
}

/** Of a type that comes twice (for parts of a body) the first one counts. @throws Drift */
function numbersOf(group: Document, at: string): Map<number, Found> {
  const measures = group['measures'];
  if (!Array.isArray(measures)) throw new Drift(`${at}measures is no list`);
  const found = new Map<number, Found>();
  for (const [index, value] of measures.entries()) {
    const path = `${at}measures[${index}].`;
    const measure = readDocument(value, path);
    const type = readNumber(measure, 'type', path);
    const mantissa = readNumber(measure, 'value', path);
    const exponent = readNumber(measure, 'unit', path);
    if (type === null || mantissa === null || exponent === null || !Number.isInteger(exponent) || Math.abs(exponent) > 12)
      throw new Drift(`${path}value is no number with a power of ten`);
    // Written and read as decimals: 71245 × 0.001 is not 71.245.
    if (!found.has(type)) found.set(type, { value: Number(`${mantissa}e${exponent}`), path: `${path}value` });
  }
  return found;
}

function datedIn(
  zone: string | undefined,
  ms: number,
  known: { readonly providerRecordId: string; readonly source: Source; readonly version: number },
): DatedByWithings {
  return {
    ...known,
    localDate: localDate(ms, zone ?? 0),
    dateBasis: zone === undefined ? 'utc_assumed' : 'profile_zone',
    dayModel: 'civil',
    utcOffsetS: zone === undefined ? undefined : offsetAt(ms, zone),
    // Without a zone the day is a guess.
    provisional: zone === undefined,
  };
}
