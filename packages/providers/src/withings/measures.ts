import {
  type Dated,
  type HealthRecord,
  type MeasurementRecord,
  type MetricFacts,
  type UnitFor,
  type ValueMetric,
  type Whereabouts,
  bloodPressureParts,
  civilDate,
  isZone,
  measurementMetrics,
  providerDay,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readNumber } from '../document-fields.js';
import { Drift } from '../drift.js';
import { canonicalValue, dailyValue } from '../quantities.js';
import { readEpoch, readListId, readModified, sourceOf, typedIn } from './fields.js';

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
/** Worked out once a day or so, and no measurement. */
const VO2_MAX = 123;

/** A measure may be a goal (2). */
const MEASURED = 1;
/** `attrib`: whose it is, and how it came. */
const AMBIGUOUS = 1;
const typed: ReadonlySet<number> = new Set([2, 4]);

/**
 * Where a person was, by the zone that an answer names: that of their profile now. Groups have no zone of their own. What is known of
 * earlier zones goes first; before the first of them, and where nothing is known, the nearest one is the best guess there is.
 */
export function profileOf(zone: string | undefined, { now, whereabouts }: ReadAt): Whereabouts {
  if (zone === undefined || !isZone(zone)) return whereabouts;
  const known = [...whereabouts.profile, { validFrom: now, zone }].sort((a, b) => a.validFrom - b.validFrom);
  const [first] = known;
  return { ...whereabouts, profile: [{ validFrom: Number.NEGATIVE_INFINITY, zone: first?.zone ?? zone }, ...known] };
}

/**
 * One group of measures of one moment: a weighing, or one inflation of a cuff. Goals give nothing.
 * @throws Drift naming the path.
 */
export function measureRecords(value: unknown, at: string, { now, whereabouts }: ReadAt): HealthRecord[] {
  const group = readDocument(value, at);
  const category = readNumber(group, 'category', at);
  if (category !== null && category !== MEASURED) return [];
  const attrib = readNumber(group, 'attrib', at) ?? 0;
  const ms = readEpoch(group, 'date', at);
  const manual = typed.has(attrib);
  const providerRecordId = readListId(group, 'grpid', at);
  const date = civilDate({ label: undefined, labelShift: 0, at: ms, offsetS: undefined, zone: undefined }, whereabouts);
  if (date === undefined) throw new Drift(`${at}date is no instant`);
  const dated: Dated = {
    ...dateFields(date, providerDay('withings', 'measure', []), { now, closes: 'at_once' }),
    providerRecordId,
    source: manual ? typedIn : sourceOf(group, at),
    version: readModified(group, at),
    coverageEnd: ms,
  };
  const measure = {
    ...dated,
    kind: 'measurement',
    recordId: providerRecordId,
    instant: new Date(ms).toISOString(),
    manual,
    ambiguous: attrib === AMBIGUOUS,
  } as const;
  const measured = numbersOf(group, at);
  const records = new Map<ValueMetric, MeasurementRecord>();
  for (const [type, { metric, unit }] of types) {
    const found = measured.get(type);
    if (found === undefined || records.has(metric)) continue;
    const facts = measurementMetrics[metric] as MetricFacts;
    const quantity = { value: found.value, unit: unit(found.value) } as never;
    records.set(metric, { ...measure, metric, value: canonicalValue(facts, quantity, found.path) });
  }
  const fitness = measured.get(VO2_MAX);
  return [
    ...records.values(),
    ...heart(measure, measured),
    ...(fitness === undefined ? [] : dailyValue('vo2max_estimate', { value: fitness.value, unit: 'mL/min/kg' }, dated, fitness.path)),
  ];
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
