import {
  type CivilDate,
  type Dated,
  type HealthRecord,
  type MetricFacts,
  type Samples,
  type SeriesMetric,
  providerDay,
  rangeOf,
  roundTo,
  seriesMetrics,
  startOfDay,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import type { Document } from '../document-fields.js';
import { Drift } from '../drift.js';
import { type Counted, countsSeries, instantsSeries } from '../interval-series.js';
import { type ReadDocuments, MAX_FAULTS, hashedRecords } from '../read-documents.js';
import type { GarminCollection } from './collections.js';
import type { Summary } from './newest.js';
import { dateOf, filed, readEpoch, readMeasured, readOffset, readOffsets, sourceOf } from './summary-fields.js';

interface Sample {
  readonly ms: number;
  readonly value: number;
}

/** What of one summary goes into the series of its day. */
type SamplesOf = readonly (readonly [metric: SeriesMetric, samples: readonly Sample[]])[];

/** Types whose summaries are about parts of a day (or come again as the day grows), and what of them is a series. */
const partsOf = {
  allDayRespiration: (summary, at, ms) => [
    ['respiratory_rate', possibleSamples('respiratory_rate', readOffsets(summary, 'timeOffsetEpochToBreaths', at), ms)],
  ],
  pulseox: (summary, at, ms) =>
    summary['onDemand'] === true ? [] : [['spo2', possibleSamples('spo2', readOffsets(summary, 'timeOffsetSpo2Values', at), ms)]],
  stressDetails: (summary, at, ms) => [
    ['vendor.garmin.stress', possibleSamples('vendor.garmin.stress', readOffsets(summary, 'timeOffsetStressLevelValues', at), ms)],
    [
      'vendor.garmin.body_battery',
      possibleSamples('vendor.garmin.body_battery', readOffsets(summary, 'timeOffsetBodyBatteryValues', at), ms),
    ],
  ],
} as const satisfies Partial<Record<GarminCollection, (summary: Document, at: string, ms: number) => SamplesOf>>;

export type PartCollection = keyof typeof partsOf | 'epochs';

/** Whether a series of a day is made of all summaries of the day, so that one of them alone says nothing. */
export function comesInParts(collection: GarminCollection): collection is PartCollection {
  return collection === 'epochs' || Object.hasOwn(partsOf, collection);
}

/** In the metric's unit, rounded; those that nobody can have are left out rather than losing their day. @param ms what the offsets count from. */
export function possibleSamples(
  metric: SeriesMetric,
  offsets: readonly (readonly [offsetS: number, value: number])[],
  ms: number,
): readonly Sample[] {
  const facts: MetricFacts = seriesMetrics[metric];
  const start = Math.floor(ms / 1000) * 1000;
  return offsets
    .map(([offsetS, value]) => ({ ms: start + offsetS * 1000, value: roundTo(value, facts.decimals) }))
    .filter(({ value }) => rangeOf(facts, value) !== 'impossible');
}

/** One summary, with what it needs to be put among the others of its day. */
interface Part {
  readonly summary: Document;
  readonly at: string;
  readonly ms: number;
  readonly durationS: number;
  readonly date: CivilDate;
}

/** A part stands on the day of its beginning as a whole, which is also how a push of it is filed. @throws Drift */
export function partOf([summary, at]: Summary, read: ReadAt): Part {
  const ms = readEpoch(summary, 'startTimeInSeconds', at);
  const date = dateOf(summary, { ms, offsetS: readOffset(summary, 'startTimeOffsetInSeconds', at) }, at, read);
  // By another clock it would be a part of another day, and stand for all of it.
  if (date.dateBasis !== 'provider_date' && date.dateBasis !== 'record_offset') throw new Drift(`${at}startTimeOffsetInSeconds is missing`);
  return { summary, at, ms, durationS: readMeasured(summary, 'durationInSeconds', at) ?? 0, date };
}

/** First instant of a part's day. Epoch milliseconds. */
export function dayStartOf({ date }: Pick<Part, 'date'>): number {
  return startOfDay(date.localDate, date.utcOffsetS ?? 0);
}

/**
 * Series of whole days, from all summaries of each. A summary that cannot be read takes its day with it, since the rest is not the day;
 * one that does not even say its day takes all.
 * @param meant whether all of the day that begins at that instant (epoch milliseconds) is among the summaries.
 */
export function seriesOfDays(
  collection: PartCollection,
  summaries: readonly Summary[],
  read: ReadAt,
  meant: (dayStart: number) => boolean = () => true,
): ReadDocuments {
  const days = new Map<string, Part[]>();
  const faults: string[] = [];
  for (const one of summaries) {
    const part = orFault(() => partOf(one, read), faults);
    if (part === undefined || !meant(dayStartOf(part))) continue;
    days.set(part.date.localDate, [...(days.get(part.date.localDate) ?? []), part]);
  }
  if (faults.length > 0) return { records: [], faults: faults.slice(0, MAX_FAULTS) };
  const records = [...days.values()].flatMap((parts) => orFault(() => recordsOfDay(collection, parts, read), faults) ?? []);
  return { records, faults: faults.slice(0, MAX_FAULTS) };
}

function orFault<T>(make: () => T, faults: string[]): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Drift)) throw error;
    faults.push(error.message);
    return undefined;
  }
}

/** @throws Drift */
function recordsOfDay(collection: PartCollection, parts: readonly Part[], read: ReadAt): HealthRecord[] {
  // A repeat of an earlier state may come last: of what is said twice, the longer state counts.
  const ordered = [...parts].sort((a, b) => a.durationS - b.durationS);
  const first = parts.reduce((earliest, part) => (part.ms < earliest.ms ? part : earliest));
  const dated = (end: number): Dated => ({
    ...dateFields(first.date, providerDay('garmin', collection, []), { now: read.now }),
    providerRecordId: `${collection}/${first.date.localDate}`,
    source: sourceOf(first.summary, first.at),
    version: undefined,
    coverageEnd: end,
  });
  const made = (metric: SeriesMetric, samples: Samples | undefined): HealthRecord[] => {
    if (samples === undefined) return [];
    const last = Date.parse(samples.from) + ((samples.offsetsS.at(-1) ?? 0) + (samples.intervalS ?? 0)) * 1000;
    return [
      { ...dated(last), kind: 'series', metric, workoutId: undefined, providerRecordId: `${metric}/${first.date.localDate}`, samples },
    ];
  };
  const documents = ordered.map(({ summary }) => summary);
  if (collection === 'epochs') return hashedRecords(made('steps_intraday', countsSeries(epochSteps(ordered))), ...documents);
  const byMetric = new Map<SeriesMetric, Sample[]>();
  for (const { summary, at, ms } of ordered) {
    for (const [metric, samples] of partsOf[collection](summary, at, ms)) {
      byMetric.set(metric, [...(byMetric.get(metric) ?? []), ...samples]);
    }
  }
  const series = [...byMetric].flatMap(([metric, samples]) => made(metric, instantsSeries(samples)));
  const spot = collection === 'pulseox' ? parts.flatMap((part) => onDemand(part, read)) : [];
  return hashedRecords([...series, ...spot], ...documents);
}

/** Each kind of moving within a quarter of an hour has an epoch of its own: of one kind the longer state counts, and all kinds add up. @throws Drift */
function epochSteps(parts: readonly Part[]): Counted[] {
  const epochs = new Map<string, Counted>();
  for (const { summary, at, ms, durationS } of parts) {
    const value = readMeasured(summary, 'steps', at);
    if (value !== null) epochs.set(`${ms} ${String(summary['activityType'])}`, { ms, durationS, value });
  }
  return [...epochs.values()];
}

/** What the person asked the watch for: measurements of their own, and no part of the series. @throws Drift */
function onDemand({ summary, at, ms }: Part, read: ReadAt): HealthRecord[] {
  if (summary['onDemand'] !== true) return [];
  const dated = filed(summary, { at, read, type: 'pulseox', ms, standing: { closes: 'at_once' } });
  return possibleSamples('spo2', readOffsets(summary, 'timeOffsetSpo2Values', at), ms).map(({ ms: taken, value }): HealthRecord => {
    const instant = new Date(taken).toISOString();
    return { ...dated, kind: 'measurement', metric: 'spo2', value, recordId: `spo2/${instant}`, instant, manual: false, ambiguous: false };
  });
}
