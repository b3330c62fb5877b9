import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext, ProviderHttp } from '../provider.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type GoogleCollection, googleCollections, isGoogleCollection } from './collections.js';
import { type RollupCollection, rollupRecords, summaryRecords } from './daily-records.js';
import { type MeasuredCollection, beatSeries, beats, measurementRecords } from './sample-records.js';
import { sleepRecord, workoutRecord } from './session-records.js';
import { type Span, spanOf, wholeDays } from './span.js';

/** Pages of one window that we follow: a week of a heart, every five seconds. */
const MAX_PAGES = 100;
/** Samples are short and many, sessions long and few. */
const [SAMPLES, SESSIONS] = [2_500, 25] as const;

/** Longest civil range that one roll-up may have. */
const longestRange: Readonly<Record<RollupCollection, number>> = {
  steps: 90,
  distance: 90,
  floors: 90,
  'total-calories': 14,
  'active-minutes': 14,
};

const HOUR_MS = 3_600_000;

type Point = readonly [point: Document, at: string];
type Request = Omit<Parameters<ProviderHttp['send']>[0], 'headers'>;

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 * Totals and summaries are asked for by civil days, everything else by instants that hold the window wherever the person is, and cut by
 * what each point says of itself. The member that a filter must name differs between the kinds of types, and a wrong one is answered with
 * 200 and no points: they are written out below, and pinned by tests.
 */
export async function fetchGoogleRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isGoogleCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(async () => {
    const read = new GoogleRead(collection, context);
    const records = await recordsOf(collection, spanOf(window, context.now), read);
    return { is: 'records', complete: read.complete, records };
  });
}

async function recordsOf(collection: GoogleCollection, span: Span, read: GoogleRead): Promise<readonly HealthRecord[]> {
  const { now } = read.context;
  switch (collection) {
    case 'steps':
    case 'distance':
    case 'floors':
    case 'total-calories':
    case 'active-minutes':
      return (await read.rollUp(collection, span)).flatMap(([point, at]) => rollupRecords(collection, point, at, now));
    case 'daily-resting-heart-rate':
    case 'daily-heart-rate-variability':
    case 'daily-oxygen-saturation':
    case 'daily-respiratory-rate':
      return (await read.list('date', span.days, SAMPLES)).flatMap(([point, at]) => summaryRecords(collection, point, at, now));
    case 'heart-rate':
      return heartRate(wholeDays(span), read);
    case 'weight':
    case 'body-fat':
    case 'blood-glucose':
      return measurements(collection, span, read);
    case 'sleep': {
      // By the end, up to thirty hours after the window: one that overlaps it may end later.
      const ends = texts({ from: span.instants.from, to: span.instants.to + 30 * HOUR_MS });
      const points = await read.list('interval.end_time', ends, SESSIONS);
      return points.map(([point, at]) => sleepRecord(point, at)).filter((record) => isMeant(record, span));
    }
    case 'exercise': {
      // By the beginning, on the person's own clock, a day before the window: one that overlaps it may have begun earlier.
      const starts = { from: `${addDays(span.days.from, -1)}T00:00:00`, to: `${span.days.to}T00:00:00` };
      const points = await read.list('interval.civil_start_time', starts, SESSIONS);
      return points.map(([point, at]) => workoutRecord(point, at)).filter((record) => isMeant(record, span));
    }
  }
}

/** Only whole days: a part of one would stand for all of it. */
async function heartRate(span: Span, read: GoogleRead): Promise<readonly HealthRecord[]> {
  const points = await read.list('sample_time.physical_time', texts(span.instants), SAMPLES);
  // A read that was cut short does not say which day it is that lacks something.
  if (!read.complete) return [];
  const samples = points.flatMap(([point, at]) => beats(point, at));
  return beatSeries(
    samples.filter(({ moment }) => moment.day >= span.days.from && moment.day < span.days.to),
    read.context.now,
  );
}

async function measurements(collection: MeasuredCollection, span: Span, read: GoogleRead): Promise<readonly HealthRecord[]> {
  const points = await read.list('sample_time.physical_time', texts(span.instants), SAMPLES);
  const records = points.flatMap(([point, at]) => measurementRecords(collection, point, at));
  return records.filter((record) => isMeant({ localDate: record.localDate, start: record.instant, end: record.instant }, span));
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

class GoogleRead {
  complete = true;
  #pagesLeft = MAX_PAGES;

  constructor(
    private readonly collection: GoogleCollection,
    readonly context: FetchContext,
  ) {}

  /** @param member what of the type the range is about. @param range `from` inside, `to` outside, in that member's own writing. */
  list(member: string, range: { readonly from: string; readonly to: string }, pageSize: number): Promise<Point[]> {
    // Hyphens in the path, underscores in the filter.
    const name = `${this.collection.replaceAll('-', '_')}.${member}`;
    const filter = `${name} >= "${range.from}" AND ${name} < "${range.to}"`;
    return this.#pages('dataPoints', (pageToken) => {
      const query = new URLSearchParams({ filter, pageSize: String(pageSize), ...(pageToken !== undefined && { pageToken }) });
      return { method: 'GET', url: `${this.#url()}?${query}` };
    });
  }

  async rollUp(collection: RollupCollection, { days }: Span): Promise<Point[]> {
    const points: Point[] = [];
    for (let from = days.from; from < days.to; ) {
      const end = addDays(from, longestRange[collection]);
      const to = end < days.to ? end : days.to;
      const range = { start: midnight(from), end: midnight(to) };
      points.push(
        ...(await this.#pages('rollupDataPoints', (pageToken) => ({
          method: 'POST',
          url: `${this.#url()}:dailyRollUp`,
          body: JSON.stringify({ range, windowSizeDays: 1, ...(pageToken !== undefined && { pageToken }) }),
        }))),
      );
      from = to;
    }
    return points;
  }

  /** @throws EndOfRead when a page is refused: half a window is never taken for one. */
  async #pages(field: string, requestOf: (pageToken: string | undefined) => Request): Promise<Point[]> {
    const points: Point[] = [];
    let token: string | undefined;
    do {
      if (this.#pagesLeft === 0) {
        this.complete = false;
        break;
      }
      this.#pagesLeft -= 1;
      const page = await this.#send(requestOf(token));
      const list = page[field] ?? [];
      if (!Array.isArray(list)) throw new Drift(`${field} is no list`);
      points.push(...list.map((value: unknown, n): Point => [readDocument(value, `${field}[${n}].`), `${field}[${n}].`]));
      token = readText(page, 'nextPageToken', '') || undefined;
    } while (token !== undefined);
    return points;
  }

  async #send(request: Request): Promise<Document> {
    const { http, accessToken, now } = this.context;
    const reply = await http.send({
      ...request,
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/json',
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
    });
    const refused = refusalOf(reply, googleCollections[this.collection].scope, () => retryAtOf(reply.headers, now));
    if (refused !== undefined) throw new EndOfRead(refused);
    return readDocument(replyJson(reply), '');
  }

  #url(): string {
    return `${this.context.origins.api}/v4/users/me/dataTypes/${this.collection}/dataPoints`;
  }
}

/** Zero parts of a time of day are left out. */
function midnight(day: string): object {
  const [year, month, date] = day.split('-').map(Number);
  return { date: { year, month, day: date }, time: {} };
}
