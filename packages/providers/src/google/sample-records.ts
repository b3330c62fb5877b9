import {
  type MeasurementRecord,
  type SeriesRecord,
  type Source,
  canonical,
  closesAt,
  measurementMetrics,
  rangeOf,
  seriesMetrics,
} from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { canonicalValue } from '../quantities.js';
import { type Moment, readCount, readMoment } from './fields.js';
import { isManual, sourceOf } from './source.js';

/** In what field and unit a measurement comes. */
const measured = {
  weight: { member: 'weight', field: 'weightGrams', metric: 'body_weight', unit: 'g' },
  'body-fat': { member: 'bodyFat', field: 'percentage', metric: 'body_fat_percentage', unit: '%' },
  'blood-glucose': { member: 'bloodGlucose', field: 'bloodGlucoseMilligramsPerDeciliter', metric: 'blood_glucose', unit: 'mg/dL' },
} as const;

export type MeasuredCollection = keyof typeof measured;

const sampleTime = ['physicalTime', 'utcOffset'] as const;

/** One measurement; none when the point holds no value. @param at path of the point, ending in a dot. @throws Drift */
export function measurementRecords(collection: MeasuredCollection, point: Document, at: string): MeasurementRecord[] {
  const { member, field, metric } = measured[collection];
  const path = `${at}${member}.`;
  const value = readDocument(point[member], path);
  const count = readCount(value, field, path);
  if (count === null) return [];
  const taken = momentOf(value, path);
  const source = sourceOf(point, at);
  // Most points have no name; then one source measures one thing once at one instant.
  const recordId = (readText(point, 'name', at) ?? '').split('/').at(-1) || `${collection}/${new Date(taken.ms).toISOString()}`;
  return [
    {
      kind: 'measurement',
      metric,
      value: inOurUnit(collection, count, `${path}${field}`),
      providerRecordId: recordId,
      recordId,
      instant: new Date(taken.ms).toISOString(),
      manual: isManual(point),
      ambiguous: false,
      source,
      localDate: taken.day,
      dateBasis: taken.basis,
      dayModel: 'civil',
      utcOffsetS: taken.offsetS,
      provisional: taken.basis === 'utc_assumed',
      version: undefined,
    },
  ];
}

function inOurUnit(collection: MeasuredCollection, value: number, path: string): number {
  switch (collection) {
    case 'weight':
      return canonicalValue(measurementMetrics.body_weight, { value, unit: 'g' }, path);
    case 'body-fat':
      return canonicalValue(measurementMetrics.body_fat_percentage, { value, unit: '%' }, path);
    case 'blood-glucose':
      return canonicalValue(measurementMetrics.blood_glucose, { value, unit: 'mg/dL' }, path);
  }
}

function momentOf(value: Document, path: string): Moment {
  return readMoment(readDocument(value['sampleTime'], `${path}sampleTime.`), sampleTime, `${path}sampleTime.`);
}

/** One sample of the heart rate, with what it needs to be filed. */
export interface Beat {
  readonly moment: Moment;
  readonly source: Source;
  readonly value: number;
}

/** None when the point holds no value, or none that a heart can have: one such sample is no reason to lose its day. @throws Drift */
export function beats(point: Document, at: string): Beat[] {
  const path = `${at}heartRate.`;
  const rate = readDocument(point['heartRate'], path);
  const count = readCount(rate, 'beatsPerMinute', path);
  if (count === null) return [];
  const value = canonical(seriesMetrics.heart_rate, { value: count, unit: '/min' });
  return rangeOf(seriesMetrics.heart_rate, value) === 'impossible'
    ? []
    : [{ moment: momentOf(rate, path), source: sourceOf(point, at), value }];
}

/** Samples to whole days, by day and source. Of two samples of one second the later one counts. @param now epoch milliseconds. */
export function beatSeries(samples: readonly Beat[], now: number): SeriesRecord[] {
  const days = new Map<string, Beat[]>();
  for (const beat of [...samples].sort((a, b) => a.moment.ms - b.moment.ms)) {
    const key = `${beat.moment.day} ${beat.source.id}`;
    const day = days.get(key);
    if (day === undefined) days.set(key, [beat]);
    else day.push(beat);
  }
  return [...days.values()].map((day) => seriesOfDay(day, now));
}

function seriesOfDay(day: readonly Beat[], now: number): SeriesRecord {
  const { moment, source } = day[0] as Beat;
  const fromS = Math.floor(moment.ms / 1000);
  const values = new Map<number, number>();
  for (const { moment: taken, value } of day) values.set(Math.floor(taken.ms / 1000) - fromS, value);
  return {
    kind: 'series',
    metric: 'heart_rate',
    workoutId: undefined,
    providerRecordId: `heart-rate/${moment.day}/${source.id}`,
    source,
    localDate: moment.day,
    dateBasis: moment.basis,
    dayModel: 'civil',
    utcOffsetS: moment.offsetS,
    provisional: now < closesAt(moment.day, moment.offsetS, 0),
    version: undefined,
    samples: {
      from: new Date(fromS * 1000).toISOString(),
      offsetsS: [...values.keys()],
      values: [...values.values()],
      intervalS: undefined,
    },
  };
}
