import type { StoredRecord } from './health-record.js';
import { type MetricFacts, bloodPressureParts, dailyMetrics, measurementMetrics, seriesMetrics } from './metric.js';
import { roundTo } from './quantity.js';
import type { SleepDetail } from './record.js';
import type { WorkoutDetail } from './workout.js';

/** Numbers that are not whole count to one decimal. */
const DETAIL_DECIMALS = 1;

/** The record with what counts as a change and no more: what a float or a unit made of the rest would be news without end. */
export function roundRecord(record: StoredRecord): StoredRecord {
  switch (record.kind) {
    case 'daily':
      return { ...record, value: roundTo(record.value, dailyMetrics[record.metric].decimals) };
    case 'sleep':
      return { ...record, detail: roundDetail(record.detail) };
    case 'workout':
      return { ...record, detail: roundDetail(record.detail) };
    case 'measurement': {
      if (record.metric !== 'blood_pressure')
        return { ...record, value: roundTo(record.value, measurementMetrics[record.metric].decimals) };
      const { systolic, diastolic, pulse } = record.parts;
      const part = (facts: MetricFacts, value: number) => roundTo(value, facts.decimals);
      const parts = {
        systolic: part(bloodPressureParts.systolic, systolic),
        diastolic: part(bloodPressureParts.diastolic, diastolic),
        pulse: pulse === null ? null : part(bloodPressureParts.pulse, pulse),
      };
      return { ...record, parts };
    }
    case 'series': {
      const { decimals } = seriesMetrics[record.metric];
      return { ...record, samples: { ...record.samples, values: record.samples.values.map((value) => roundTo(value, decimals)) } };
    }
  }
}

function roundDetail<Detail extends SleepDetail | WorkoutDetail>(detail: Detail): Detail {
  const rounded = Object.entries(detail).map(([field, value]: [string, unknown]) => [
    field,
    typeof value === 'number' ? roundTo(value, DETAIL_DECIMALS) : value,
  ]);
  return Object.fromEntries(rounded) as Detail;
}
