import { type FetchOutcome, type HealthRecord, type SleepRecord, type Window, addDays } from '@tributary/domain';
import type { ReadAt } from '../date-fields.js';
import { outcomeOf } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { type ReadDocuments, hashedRecords, readDocuments, recordsOutcome } from '../read-documents.js';
import { sleepDurations } from '../sleep-durations.js';
import { type GoogleCollection, isGoogleCollection } from './collections.js';
import { isRollup, isSummary, rollupRecords, summaryRecords } from './daily-records.js';
import { type Point, isSampled, sampledDays, stretchedDays } from './day-series.js';
import { GoogleRead } from './google-read.js';
import { type MeasuredCollection, isMeasured, lasts, measurementRecords } from './sample-records.js';
import { sleepRecord, workoutRecord } from './session-records.js';
import { type Span, spanOf, wholeDays } from './span.js';

/** Samples are short and many, sessions long and few. */
const [SAMPLES, SESSIONS] = [2_500, 25] as const;

const HOUR_MS = 3_600_000;
/** A sleep that overlaps a window may end so long after it. */
const LONGEST_SLEEP_MS = 30 * HOUR_MS;
/** No civil day is longer. */
const LONGEST_DAY_MS = 26 * HOUR_MS;

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 * Totals and summaries are asked for by civil days, everything else by instants that hold the window wherever the person is, and cut by
 * what each point says of itself. The member that a filter must name differs between the kinds of types, and a wrong one is answered with
 * 200 and no points: they are written out below, and pinned by tests.
 */
export async function fetchGoogleRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isGoogleCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(async () => {
    const reading = new OneRead(collection, spanOf(window, context.now), context);
    return recordsOutcome(await reading.all(), reading.complete);
  });
}

class OneRead {
  readonly #google: GoogleRead;

  constructor(
    private readonly collection: GoogleCollection,
    private readonly span: Span,
    private readonly read: FetchContext & ReadAt,
  ) {
    this.#google = new GoogleRead(collection, read);
  }

  get complete(): boolean {
    return this.#google.complete;
  }

  async all(): Promise<ReadDocuments[]> {
    const { collection } = this;
    const reads: ReadDocuments[] = [];
    if (isRollup(collection)) {
      const points = await this.#google.rollUp(collection, this.span);
      reads.push(this.#each(points, (value, at) => rollupRecords(collection, value, at, this.read)));
    }
    if (isSummary(collection)) {
      const points = await this.#google.list('date', this.span.days, SAMPLES);
      reads.push(this.#each(points, (value, at) => summaryRecords(collection, value, at, this.read)));
    }
    if (isSampled(collection)) reads.push(...(await this.#samples(collection)));
    else if (isMeasured(collection)) reads.push(await this.#measurements(collection));
    if (collection === 'steps' || collection === 'basal-energy-burned') reads.push(await this.#stretches(collection));
    if (collection === 'sleep') reads.push(...(await this.#sleeps()));
    if (collection === 'exercise') reads.push(await this.#exercises());
    return reads;
  }

  #each(points: readonly Point[], toRecords: (value: unknown, at: string) => readonly HealthRecord[]): ReadDocuments {
    return readDocuments(
      points.map(({ value }) => value),
      (index) => points[index]?.at ?? '',
      toRecords,
    );
  }

  /** Only whole days: a part of one would stand for all of it. */
  async #samples(collection: Parameters<typeof sampledDays>[0]): Promise<ReadDocuments[]> {
    const span = wholeDays(this.span);
    const points = await this.#google.list('sample_time.physical_time', texts(span.instants), SAMPLES);
    const spots = isMeasured(collection) ? [this.#each(points, (value, at) => this.#meant(collection, value, at))] : [];
    // A read that was cut short does not say which day it is that lacks something.
    if (!this.complete) return spots;
    return [sampledDays(collection, points, { read: this.read, days: span.days }), ...spots];
  }

  async #stretches(collection: Parameters<typeof stretchedDays>[0]): Promise<ReadDocuments> {
    const span = wholeDays(this.span);
    const points = await this.#google.list('interval.start_time', texts(span.instants), SAMPLES);
    return this.complete ? stretchedDays(collection, points, { read: this.read, days: span.days }) : { records: [], faults: [] };
  }

  async #measurements(collection: MeasuredCollection): Promise<ReadDocuments> {
    const points = lasts(collection)
      ? await this.#google.list('interval.civil_start_time', this.#civilTimes(0), SESSIONS)
      : await this.#google.list('sample_time.physical_time', texts(this.span.instants), SAMPLES);
    return this.#each(points, (value, at) => this.#meant(collection, value, at));
  }

  #meant(collection: MeasuredCollection, value: unknown, at: string): HealthRecord[] {
    return measurementRecords(collection, value, at, this.read).filter((record) =>
      isMeant({ localDate: record.localDate, start: record.instant, end: record.instant }, this.span),
    );
  }

  /** By the end. All sleeps of the days that are meant are read, so that the time slept on each of them is of all. */
  async #sleeps(): Promise<ReadDocuments[]> {
    const { instants, meant } = this.span;
    const room = meant === 'days' ? 0 : LONGEST_DAY_MS;
    const ends = texts({ from: instants.from - room, to: instants.to + LONGEST_SLEEP_MS + room });
    const points = await this.#google.list('interval.end_time', ends, SESSIONS);
    const found: { value: unknown; sleep: SleepRecord }[] = [];
    const sleeps = this.#each(points, (value, at) => {
      const sleep = sleepRecord(value, at, this.read);
      found.push({ value, sleep });
      return isMeant(sleep, this.span) ? [sleep] : [];
    });
    if (!this.complete || sleeps.faults.length > 0) return [sleeps];
    const days = new Set(sleeps.records.flatMap((record) => (record.kind === 'sleep' ? [record.localDate] : [])));
    const slept = sleepDurations(
      found.map(({ sleep }) => sleep),
      days,
    ).flatMap((day) => {
      const documents = found.flatMap(({ value, sleep }) => (sleep.localDate === day.localDate ? [value] : []));
      return hashedRecords([day], documents);
    });
    return [sleeps, { records: slept, faults: [] }];
  }

  /** By the beginning, on the person's own clock, a day before the window: one that overlaps it may have begun earlier. */
  async #exercises(): Promise<ReadDocuments> {
    const points = await this.#google.list('interval.civil_start_time', this.#civilTimes(1), SESSIONS);
    return this.#each(points, (value, at) => [workoutRecord(value, at, this.read)].filter((record) => isMeant(record, this.span)));
  }

  #civilTimes(daysBefore: number): { from: string; to: string } {
    const { from, to } = this.span.days;
    return { from: `${addDays(from, -daysBefore)}T00:00:00`, to: `${to}T00:00:00` };
  }
}

function isMeant(
  record: { readonly localDate: string; readonly start: string; readonly end: string },
  { days, instants, meant }: Span,
): boolean {
  return meant === 'days'
    ? record.localDate >= days.from && record.localDate < days.to
    : Date.parse(record.end) >= instants.from && Date.parse(record.start) < instants.to;
}

function texts({ from, to }: Span['instants']): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
