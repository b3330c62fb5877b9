import type { StoredRecord } from './health-record.js';
import type { MeasurementRecord } from './measurement.js';
import { type MetricFacts, bloodPressureParts, dailyMetrics, measurementMetrics, seriesMetrics } from './metric.js';
import { type Range, rangeOf } from './range.js';
import type { Samples } from './series.js';

/** Durations of sessions in hours (contract §2.1, rows 53 and 54). */
const sessionHours = { sleep: { soft: [0.25, 14], hard: [0, 30] }, workout: { soft: [1 / 60, 12], hard: [0, 168] } } as const;

/** How likely a record is, and the path, inside it, of what is least likely. Never a value: the path is kept and shown. */
export interface RangeOfRecord {
  readonly range: Range;
  readonly path: string;
}

export function rangeOfRecord(record: StoredRecord): RangeOfRecord {
  switch (record.kind) {
    case 'daily':
      return { range: rangeOf(dailyMetrics[record.metric], record.value), path: `${record.metric}.value` };
    case 'sleep':
    case 'workout':
      return { range: rangeOfSession(record.kind, record.start, record.end), path: `${record.kind}.end` };
    case 'measurement':
      return rangeOfMeasurement(record);
    case 'series':
      return rangeOfSamples(seriesMetrics[record.metric], record.samples, record.metric);
  }
}

/** Times as RFC 3339. */
export function rangeOfSession(kind: 'sleep' | 'workout', start: string, end: string): Range {
  return rangeOf(sessionHours[kind], (Date.parse(end) - Date.parse(start)) / 3_600_000);
}

function rangeOfMeasurement({ metric, value, parts }: MeasurementRecord): RangeOfRecord {
  if (metric !== 'blood_pressure') return { range: rangeOf(measurementMetrics[metric], value), path: `${metric}.value` };
  const { systolic, diastolic, pulse } = parts;
  // Whatever the numbers, a pressure at rest is lower than at the beat.
  if (systolic <= diastolic) return { range: 'impossible', path: `${metric}.parts.diastolic` };
  return worst([
    { range: rangeOf(bloodPressureParts.systolic, systolic), path: `${metric}.parts.systolic` },
    { range: rangeOf(bloodPressureParts.diastolic, diastolic), path: `${metric}.parts.diastolic` },
    { range: pulse === null ? 'plausible' : rangeOf(bloodPressureParts.pulse, pulse), path: `${metric}.parts.pulse` },
  ]);
}

function rangeOfSamples(facts: MetricFacts, { offsetsS, values }: Samples, metric: string): RangeOfRecord {
  const at = (column: 'offsetsS' | 'values', index: number) => `${metric}.samples.${column}[${index}]`;
  if (offsetsS.length !== values.length) return { range: 'impossible', path: `${metric}.samples.values` };
  let doubtful: RangeOfRecord | undefined;
  let last = -1;
  for (const [index, value] of values.entries()) {
    const offset = offsetsS[index] as number;
    if (!Number.isInteger(offset) || offset <= last) return { range: 'impossible', path: at('offsetsS', index) };
    last = offset;
    const range = rangeOf(facts, value);
    if (range === 'impossible') return { range, path: at('values', index) };
    if (range === 'implausible') doubtful ??= { range, path: at('values', index) };
  }
  return doubtful ?? { range: 'plausible', path: '' };
}

function worst(ranges: readonly RangeOfRecord[]): RangeOfRecord {
  return (
    ranges.find(({ range }) => range === 'impossible') ??
    ranges.find(({ range }) => range === 'implausible') ?? { range: 'plausible', path: '' }
  );
}
