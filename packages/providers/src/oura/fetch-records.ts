import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext, ProviderReply } from '../provider.js';
import { type ReadDocuments, hashedRecords, readDocuments, recordsOutcome } from '../read-documents.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type DocumentCollection, type OuraCollection, isOuraCollection, ouraCollections, pathOf } from './collections.js';
import { dayStart } from './daily.js';
import { readDay, readList } from './documents.js';
import { profileRecords } from './profile.js';
import { type OuraSample, heartRateRecords, hrvRecords, readSample } from './series.js';
import { type OuraSleep, nightRecords, readSleep } from './sleep.js';
import { toRecords } from './to-records.js';

/** Pages of one window that we follow; far more than a month of days has. */
const MAX_PAGES = 100;

/** Stands for whatever day there is. */
const EVERY_DAY = 'every';

type Days = Extract<Window, { kind: 'days' }>;

/** The documents of a list with their paths; each page counts anew. */
interface Listed {
  readonly documents: readonly (readonly [value: unknown, at: string])[];
  /** Every page was read. */
  readonly complete: boolean;
}

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 * A `days` window is asked for with a day more on each side, since whether `end_date` is inside differs between collections, and cut
 * by each document's own `day` afterwards.
 */
export async function fetchOuraRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isOuraCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(() => {
    if (collection === 'personal_info') return readProfile(context);
    if (window.kind === 'object' && collection !== 'heartrate') return readObject(collection, window.id, context);
    if (window.kind !== 'days') throw new Drift(`windows of kind ${window.kind} are not known`);
    if (collection === 'heartrate') return readHeartRate(window, context);
    return collection === 'sleep' ? readNights(window, context) : readDays(collection, window, context);
  });
}

async function readProfile(context: FetchContext): Promise<FetchOutcome> {
  const document = await get(context, 'personal_info', pathOf('personal_info'));
  return recordsOutcome([{ records: hashedRecords(profileRecords(document, '', context), document), faults: [] }], true);
}

async function readObject(collection: DocumentCollection, id: string, context: FetchContext): Promise<FetchOutcome> {
  const document = await get(context, collection, `${pathOf(collection)}/${encodeURIComponent(id)}`);
  if (document === undefined) return { is: 'gone' };
  const records = hashedRecords(toRecords(collection, document, '', context), document);
  if (collection !== 'sleep') return recordsOutcome([{ records, faults: [] }], true);
  const sleep = readSleep(document, '', context);
  if (sleep === undefined) return recordsOutcome([{ records, faults: [] }], true);
  // What a night is worth and when its samples were is told by all sleeps of its days, so those beside it are read too.
  const { localDate } = sleep.record;
  const around = await list(context, 'sleep', daysQuery(addDays(localDate, -1), addDays(localDate, 1)));
  const nights = nightsOf({ from: addDays(localDate, -1), to: addDays(localDate, 1) }, around, context);
  // Of another's fault this document's window says nothing: their own do, and the sweep.
  const ofDay = nights.records.filter((record) => record.kind === 'daily' || record.kind === 'series');
  return recordsOutcome([{ records: [...records, ...ofDay], faults: [] }], true);
}

async function readDays(collection: DocumentCollection, window: Days, context: FetchContext): Promise<FetchOutcome> {
  const { documents, complete } = await list(context, collection, daysQuery(addDays(window.from, -1), window.to));
  return recordsOutcome(
    [readEach(documents, (value, at) => (isIn(window, readDay(value, at)) ? toRecords(collection, value, at, context) : []))],
    complete,
  );
}

/** Sleeps, and what they say of their days. A day more after the end: a night that ends then has its samples before midnight too. */
async function readNights(window: Days, context: FetchContext): Promise<FetchOutcome> {
  const listed = await list(context, 'sleep', daysQuery(addDays(window.from, -1), addDays(window.to, 1)));
  return recordsOutcome([nightsOf(window, listed, context)], listed.complete);
}

function nightsOf(window: Omit<Days, 'kind'>, { documents, complete }: Listed, context: FetchContext): ReadDocuments {
  const sleeps: OuraSleep[] = [];
  // Days of sleeps that could not be read; all days where not even that could be read, or the list was not read to its end.
  const unread = new Set<string>(complete ? [] : [EVERY_DAY]);
  const sessions = readEach(documents, (value, at) => {
    let day = EVERY_DAY;
    try {
      day = readDay(value, at);
      const sleep = readSleep(value, at, context);
      if (sleep !== undefined) sleeps.push(sleep);
      return isIn(window, day) ? toRecords('sleep', value, at, context) : [];
    } catch (error) {
      unread.add(day);
      throw error;
    }
  });
  const isWhole = (day: string) => !unread.has(EVERY_DAY) && !unread.has(day);
  const byDay = new Map<string, OuraSleep[]>();
  for (const sleep of sleeps) {
    const { localDate } = sleep.record;
    if (isIn(window, localDate) && isWhole(localDate)) byDay.set(localDate, [...(byDay.get(localDate) ?? []), sleep]);
  }
  const nowhere = () => '';
  const days = readDocuments(byDay.values(), nowhere, (ofDay) => nightRecords(ofDay));
  const isWanted = (day: string) => isIn(window, day) && isWhole(day) && isWhole(addDays(day, 1));
  const series = readDocuments([sleeps], nowhere, (all) => hrvRecords(all, isWanted, context));
  const reads = [sessions, days, series];
  return { records: reads.flatMap(({ records }) => records), faults: reads.flatMap(({ faults }) => faults) };
}

/** Samples are in UTC. Where the person was is told by the days of their activity, as far as those may be read. */
async function readHeartRate({ from, to }: Days, context: FetchContext): Promise<FetchOutcome> {
  const query = new URLSearchParams({ start_datetime: `${addDays(from, -1)}T09:00:00+00:00`, end_datetime: `${to}T13:00:00+00:00` });
  const { documents, complete } = await list(context, 'heartrate', query);
  const samples: OuraSample[] = [];
  const { faults } = readEach(documents, (value, at) => {
    samples.push(...readSample(value, at));
    return [];
  });
  // What was not reached is of the last days, and a part of a day is not its whole.
  const until = complete ? to : lastDayOf(samples);
  const offsets = samples.length === 0 ? [] : await readOffsets(from, to, context);
  return recordsOutcome(
    [{ records: heartRateRecords(samples, { from, to: until < to ? until : to }, offsets, context), faults }],
    complete,
  );
}

function lastDayOf(samples: readonly OuraSample[]): string {
  const last = samples.reduce((latest, { ms }) => Math.max(latest, ms), -Infinity);
  return Number.isFinite(last) ? new Date(last - 12 * 3_600_000).toISOString().slice(0, 10) : '';
}

async function readOffsets(from: string, to: string, context: FetchContext): Promise<{ ms: number; offsetS: number }[]> {
  try {
    const { documents } = await list(context, 'daily_activity', daysQuery(addDays(from, -2), to));
    return documents.flatMap(([value, at]) => dayStart(value, at) ?? []).sort((a, b) => a.ms - b.ms);
  } catch (error) {
    // It needs a scope of its own, and of a document of another shape its own window tells.
    if (error instanceof Drift || (error instanceof EndOfRead && error.outcome.is === 'forbidden')) return [];
    throw error;
  }
}

const isIn = ({ from, to }: Omit<Days, 'kind'>, day: string) => day >= from && day < to;

const daysQuery = (start: string, end: string) => new URLSearchParams({ start_date: start, end_date: end });

function readEach(documents: Listed['documents'], toRecordsOf: (value: unknown, at: string) => HealthRecord[]): ReadDocuments {
  const values = documents.map(([value]) => value);
  return readDocuments(values, (index) => documents[index]?.[1] ?? '', toRecordsOf);
}

/** @throws EndOfRead for every refusal. @throws Drift when the list is none. */
async function list(context: FetchContext, collection: OuraCollection, query: URLSearchParams): Promise<Listed> {
  const documents: (readonly [unknown, string])[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await get(context, collection, `${pathOf(collection)}?${query}`);
    if (answer === undefined) throw new Drift('status 404');
    const { data, nextToken } = readList(answer);
    documents.push(...data.map((value, index) => [value, `data[${index}].`] as const));
    if (nextToken === undefined) return { documents, complete: true };
    query.set('next_token', nextToken);
  }
  return { documents, complete: false };
}

/** @returns undefined for 404. @throws EndOfRead for every other refusal. */
async function get({ http, origins, accessToken, now }: FetchContext, collection: OuraCollection, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
  const reply: ProviderReply = await http.send({ method: 'GET', url: `${origins.api}/v2/usercollection/${path}`, headers });
  if (reply.status === 404) return undefined;
  const refused = refusalOf(reply, ouraCollections[collection].scope, () => retryAtOf(reply.headers, now));
  if (refused !== undefined) throw new EndOfRead(refused);
  return replyJson(reply);
}
