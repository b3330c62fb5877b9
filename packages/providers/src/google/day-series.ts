import {
  type CivilDate,
  type Dated,
  type HealthRecord,
  type Samples,
  type SeriesMetric,
  type Source,
  canonical,
  providerDay,
  rangeOf,
  seriesMetrics,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { readDocument } from '../document-fields.js';
import { Drift } from '../drift.js';
import { type Counted, countsSeries, instantsSeries } from '../interval-series.js';
import { dailyValue } from '../quantities.js';
import { MAX_FAULTS, type ReadDocuments, hashedRecords } from '../read-documents.js';
import type { GoogleCollection } from './collections.js';
import { dateOf, readCount, readInterval } from './fields.js';
import { sampleMoment } from './sample-records.js';
import { sourceOf } from './source.js';

/** A point of an answer and its path there, ending in a dot. */
export interface Point {
  readonly value: unknown;
  readonly at: string;
}

/** One sample or stretch, with what it needs to be put among the others of its day. */
interface Piece extends Counted {
  readonly document: unknown;
  readonly date: CivilDate;
  readonly source: Source;
}

/** Of a day and a source, in the order of time. */
interface DayOfPieces {
  readonly date: CivilDate;
  readonly source: Source;
  readonly pieces: readonly Piece[];
}

const instants = {
  'heart-rate': { metric: 'heart_rate', member: 'heartRate', field: 'beatsPerMinute' },
  'heart-rate-variability': {
    metric: 'hrv_rmssd',
    member: 'heartRateVariability',
    field: 'rootMeanSquareOfSuccessiveDifferencesMilliseconds',
  },
  'oxygen-saturation': { metric: 'spo2', member: 'oxygenSaturation', field: 'percentage' },
} as const satisfies Partial<Record<GoogleCollection, { metric: SeriesMetric; member: string; field: string }>>;

export type SampledCollection = keyof typeof instants;

export function isSampled(collection: GoogleCollection): collection is SampledCollection {
  return Object.hasOwn(instants, collection);
}

interface Wanted {
  readonly read: ReadAt;
  /** Civil days whose points are all there, `to` exclusive. */
  readonly days: { readonly from: string; readonly to: string };
}

/**
 * Samples of instants as one series for each day of the person's own clock and each source. A sample that nobody can have is no reason to lose
 * its day; one that cannot be read is, and as its day is not known, so are all.
 */
export function sampledDays(collection: SampledCollection, points: readonly Point[], wanted: Wanted): ReadDocuments {
  const { metric, member, field } = instants[collection];
  const facts = seriesMetrics[metric];
  const pieces = (value: unknown, at: string): Piece[] => {
    const point = readDocument(value, at);
    const path = `${at}${member}.`;
    const held = readDocument(point[member], path);
    const count = readCount(held, field, path);
    if (count === null) return [];
    const moment = sampleMoment(held, path);
    const rounded = canonical({ unit: facts.unit, decimals: facts.decimals }, { value: count, unit: facts.unit } as never);
    if (rangeOf(facts, rounded) === 'impossible') return [];
    const date = dateOf(moment, wanted.read.whereabouts, `${path}sampleTime`);
    return [{ document: value, date, source: sourceOf(point, at), ms: moment.ms, durationS: 0, value: rounded }];
  };
  return daysOf(points, pieces, wanted, (day) => seriesRecord(collection, metric, day, instantsSeries(day.pieces), wanted.read));
}

const stretches = {
  steps: { member: 'steps', field: 'count' },
  'basal-energy-burned': { member: 'basalEnergyBurned', field: 'kcal' },
} as const;

/**
 * Stretches of time, each on the day on which it began, by source: steps as a series of the day, which never is the day's total; what the body
 * burns at rest, for which Google has no total of the day, as their sum.
 */
export function stretchedDays(collection: keyof typeof stretches, points: readonly Point[], wanted: Wanted): ReadDocuments {
  const { member, field } = stretches[collection];
  const pieces = (value: unknown, at: string): Piece[] => {
    const point = readDocument(value, at);
    const path = `${at}${member}.`;
    const held = readDocument(point[member], path);
    const count = readCount(held, field, path);
    if (count === null) return [];
    if (count < 0) throw new Drift(`${path}${field} is negative`);
    const { start, end } = readInterval(held, path);
    const date = dateOf(start, wanted.read.whereabouts, `${path}interval`);
    return [{ document: value, date, source: sourceOf(point, at), ms: start.ms, durationS: (end.ms - start.ms) / 1000, value: count }];
  };
  return daysOf(points, pieces, wanted, (day) => {
    if (collection === 'steps') return seriesRecord(collection, 'steps_intraday', day, countsSeries(day.pieces), wanted.read);
    const sum = day.pieces.reduce((kcal, { value }) => kcal + value, 0);
    return dailyValue('basal_energy', { value: sum, unit: 'kcal' }, dated(collection, day, wanted.read), `${member}.${field}`);
  });
}

function daysOf(
  points: readonly Point[],
  piecesOf: (value: unknown, at: string) => Piece[],
  { days: { from, to } }: Wanted,
  toRecords: (day: DayOfPieces) => readonly HealthRecord[],
): ReadDocuments {
  const faults: string[] = [];
  const unlessFault = <T>(make: () => readonly T[]): readonly T[] => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Drift)) throw error;
      faults.push(error.message);
      return [];
    }
  };
  const days = new Map<string, Piece[]>();
  for (const piece of points.flatMap(({ value, at }) => unlessFault(() => piecesOf(value, at)))) {
    const { localDate } = piece.date;
    if (localDate < from || localDate >= to) continue;
    const key = `${localDate} ${piece.source.id}`;
    const held = days.get(key);
    if (held === undefined) days.set(key, [piece]);
    else held.push(piece);
  }
  if (faults.length > 0) return { records: [], faults: faults.slice(0, MAX_FAULTS) };
  const records = [...days.values()].flatMap((unordered) => {
    const pieces = [...unordered].sort((a, b) => a.ms - b.ms);
    const [{ date, source }] = pieces as [Piece];
    return unlessFault(() =>
      hashedRecords(
        toRecords({ date, source, pieces }),
        pieces.map(({ document }) => document),
      ),
    );
  });
  return { records, faults: faults.slice(0, MAX_FAULTS) };
}

function dated(collection: GoogleCollection, { date, source, pieces }: DayOfPieces, { now }: ReadAt): Dated {
  return {
    ...dateFields(date, providerDay('google', collection, []), { now }),
    providerRecordId: `${collection}/${date.localDate}/${source.id}`,
    source,
    version: undefined,
    coverageEnd: pieces.reduce((end, { ms, durationS }) => Math.max(end, ms + durationS * 1000), 0),
  };
}

function seriesRecord(
  collection: GoogleCollection,
  metric: SeriesMetric,
  day: DayOfPieces,
  samples: Samples | undefined,
  read: ReadAt,
): HealthRecord[] {
  return samples === undefined ? [] : [{ ...dated(collection, day, read), kind: 'series', metric, workoutId: undefined, samples }];
}
