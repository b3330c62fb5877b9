import { type Dated, type MeasurementRecord, bloodPressureParts, measurementMetrics, providerDay } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import type { Document } from '../document-fields.js';
import { canonicalValue } from '../quantities.js';
import { dateOf, readEpoch, readMeasured, readOffset, readSummaryId, sourceOf } from './summary-fields.js';

type Measured = Pick<MeasurementRecord, keyof Dated | 'kind' | 'recordId' | 'instant' | 'manual' | 'ambiguous'>;

/** One weighing: grams and percent. @param at path of the summary, ending in a dot. @throws Drift */
export function bodyRecords(summary: Document, at: string, read: ReadAt): MeasurementRecord[] {
  const measured = measuredAt(summary, at, read);
  const amount = (field: string) => readMeasured(summary, field, at);
  const { body_weight, body_fat_percentage, muscle_mass, bone_mass, body_water_mass, bmi } = measurementMetrics;
  const records: MeasurementRecord[] = [];
  const [weight, fat, muscle, bone] = ['weightInGrams', 'bodyFatInPercent', 'muscleMassInGrams', 'boneMassInGrams'].map(amount);
  const [water, index] = ['bodyWaterInPercent', 'bodyMassIndex'].map(amount);
  const grams = (value: number) => ({ value, unit: 'g' }) as const;
  const made = (metric: Exclude<MeasurementRecord['metric'], 'blood_pressure'>, value: number) =>
    records.push({ ...measured, metric, value });
  // A scale writes 0 for what it did not measure.
  if (weight) made('body_weight', canonicalValue(body_weight, grams(weight), `${at}weightInGrams`));
  if (fat) made('body_fat_percentage', canonicalValue(body_fat_percentage, { value: fat, unit: '%' }, `${at}bodyFatInPercent`));
  if (muscle) made('muscle_mass', canonicalValue(muscle_mass, grams(muscle), `${at}muscleMassInGrams`));
  if (bone) made('bone_mass', canonicalValue(bone_mass, grams(bone), `${at}boneMassInGrams`));
  if (water && weight) made('body_water_mass', canonicalValue(body_water_mass, grams((weight * water) / 100), `${at}bodyWaterInPercent`));
  if (index) made('bmi', canonicalValue(bmi, { value: index, unit: 'kg/m2' }, `${at}bodyMassIndex`));
  return records;
}

/** One inflation; without both halves it is none. @throws Drift */
export function pressureRecords(summary: Document, at: string, read: ReadAt): MeasurementRecord[] {
  const [systolic, diastolic, pulse] = (['systolic', 'diastolic', 'pulse'] as const).map((field) => readMeasured(summary, field, at));
  if (typeof systolic !== 'number' || typeof diastolic !== 'number') return [];
  const pressure = (value: number) => ({ value, unit: 'mm[Hg]' }) as const;
  return [
    {
      ...measuredAt(summary, at, read),
      manual: summary['sourceType'] === 'MANUAL',
      metric: 'blood_pressure',
      parts: {
        systolic: canonicalValue(bloodPressureParts.systolic, pressure(systolic), `${at}systolic`),
        diastolic: canonicalValue(bloodPressureParts.diastolic, pressure(diastolic), `${at}diastolic`),
        pulse: typeof pulse === 'number' ? canonicalValue(bloodPressureParts.pulse, { value: pulse, unit: '/min' }, `${at}pulse`) : null,
      },
    },
  ];
}

function measuredAt(summary: Document, at: string, read: ReadAt): Measured {
  const ms = readEpoch(summary, 'measurementTimeInSeconds', at);
  const date = dateOf(summary, { ms, offsetS: readOffset(summary, 'measurementTimeOffsetInSeconds', at) }, at, read);
  const id = readSummaryId(summary, at);
  return {
    kind: 'measurement',
    ...dateFields(date, providerDay('garmin', 'bodyComps', []), { now: read.now, closes: 'at_once' }),
    providerRecordId: id,
    recordId: id,
    instant: new Date(ms).toISOString(),
    manual: false,
    ambiguous: false,
    source: sourceOf(summary, at),
    version: undefined,
    coverageEnd: ms,
  };
}
