import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import { type Document, readDocument } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { type ReadDocuments, hashedRecords, readDocuments, recordsOutcome } from '../read-documents.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type WhoopCollection, isWhoopCollection, recoveryName, sleepIdOf, whoopCollections } from './collections.js';
import { type DayCandidate, onePerDay } from './one-per-day.js';
import { type SleepOfDay, readCursor, readCycleId, readSleepId, sleepOfDay } from './sleep-of-day.js';
import { bodyRecords, cycleRecords, nightRecords, recoveryRecords, sleepRecord, workoutRecords } from './to-records.js';

/** Pages of one list that we follow; more than three months of workouts have. */
const MAX_PAGES = 40;
/** The most that WHOOP gives. */
const PAGE_SIZE = 25;

const paths = { cycle: 'cycle', sleep: 'activity/sleep', recovery: 'recovery', workout: 'activity/workout' } as const;
type Listed = keyof typeof paths;
type Days = Extract<Window, { kind: 'days' }>;

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 * WHOOP gives no day: it is that of the end of a sleep by its offset, so a recovery and a cycle are read together with their sleep.
 */
export async function fetchWhoopRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isWhoopCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  const read = new WhoopRead(context);
  return outcomeOf(() => {
    if (collection === 'body_measurement') return read.body();
    if (window.kind === 'object') return read.object(collection, window.id);
    if (window.kind === 'days') return read.days(collection, window);
    throw new Drift(`windows of kind ${window.kind} are not known`);
  });
}

class WhoopRead {
  #complete = true;

  constructor(private readonly context: FetchContext) {}

  async body(): Promise<FetchOutcome> {
    const document = await this.#get('user/measurement/body', 'body_measurement');
    return document === undefined ? { is: 'gone' } : this.#one(bodyRecords(document, '', this.context), document);
  }

  async object(collection: Listed, id: string): Promise<FetchOutcome> {
    if (collection === 'recovery') return this.#recovery(sleepIdOf(id));
    const document = await this.#get(`${paths[collection]}/${encodeURIComponent(id)}`, collection);
    if (document === undefined) return { is: 'gone' };
    if (collection === 'workout') return this.#one(workoutRecords(document, '', this.context), document);
    if (collection === 'sleep') return this.#sleep(id, document);
    const found = await this.#get(`cycle/${encodeURIComponent(id)}/sleep`, 'sleep');
    const sleep = found && sleepOfDay(found, '', this.context);
    return this.#one(cycleRecords(document, '', sleep, this.context), document, found);
  }

  /** What a night is worth for its day is told by all sleeps of that day: the longest stands for it. */
  async #sleep(id: string, document: Document): Promise<FetchOutcome> {
    const night = sleepRecord(document, '', this.context);
    const session = { records: hashedRecords([night], document), faults: [] };
    if (nightRecords(document, '', night).length === 0) return recordsOutcome([session], true);
    const others = (await this.#list('sleep', dayOf(night.localDate))).filter((other) => idOf(other, 'id') !== id);
    // Of another's fault this document's window says nothing: their own do, and the sweep.
    const { records } = this.#nights([document, ...others]);
    const ofDay = records.filter((record) => record.kind === 'daily' && record.localDate === night.localDate);
    return recordsOutcome([session, { records: ofDay, faults: [] }], true);
  }

  /** Only a list or a cycle leads to it: v2 has no address for the recovery of a sleep. */
  async #recovery(sleepId: string): Promise<FetchOutcome> {
    const found = await this.#get(`${paths.sleep}/${encodeURIComponent(sleepId)}`, 'sleep');
    if (found === undefined) return { is: 'gone' };
    const sleep = sleepOfDay(found, '', this.context);
    const document = await this.#get(`cycle/${encodeURIComponent(sleep.cycleId)}/recovery`, 'recovery');
    // The cycle may have another sleep, and the recovery be that one's.
    if (document === undefined || readSleepId(document, '') !== sleepId) return { is: 'gone' };
    const records = recoveryRecords(document, '', { sleep, name: recoveryName(sleepId), read: this.context });
    return this.#one((await this.#isLongestOfDay(sleep)) ? records : records.filter(({ kind }) => kind === 'deleted'), document, found);
  }

  /** Whether no other night of its day, of which a recovery can have been made, is longer. */
  async #isLongestOfDay(sleep: SleepOfDay): Promise<boolean> {
    const rivals: SleepOfDay[] = [];
    this.#each(await this.#list('sleep', dayOf(sleep.date.localDate)), (document, at) => {
      if (document['score_state'] === 'SCORED') rivals.push(sleepOfDay(document, at, this.context));
      return [];
    });
    return !rivals.some(
      ({ id, nap, date, durationS }) => id !== sleep.id && !nap && date.localDate === sleep.date.localDate && durationS > sleep.durationS,
    );
  }

  async days(collection: Listed, window: Days): Promise<FetchOutcome> {
    const listed = await this.#list(collection, window);
    const { records, faults } =
      collection === 'workout'
        ? this.#each(listed, (document, at) => workoutRecords(document, at, this.context))
        : await this.#ofDays(collection, listed, window);
    const isIn = (record: HealthRecord) => record.kind === 'deleted' || (record.localDate >= window.from && record.localDate < window.to);
    return recordsOutcome([{ records: records.filter(isIn), faults }], this.#complete);
  }

  /** Values of days, one document's for each day. */
  async #ofDays(collection: Exclude<Listed, 'workout'>, listed: readonly unknown[], window: Days): Promise<ReadDocuments> {
    if (collection === 'sleep') return this.#nights(listed);
    const candidates: DayCandidate[] = [];
    const sleeps = await this.#sleeps(collection, listed, window);
    const { faults } = this.#each(listed, (document, at) => {
      candidates.push(collection === 'cycle' ? this.#cycle(document, at, sleeps) : this.#recoveryOf(document, at, sleeps.found));
      return [];
    });
    return { records: onePerDay(candidates), faults: [...faults, ...sleeps.faults] };
  }

  /** Sleeps, and of each day what its longest night is worth. */
  #nights(listed: readonly unknown[]): ReadDocuments {
    const candidates: DayCandidate[] = [];
    const sessions = this.#each(listed, (document, at) => {
      const night = sleepRecord(document, at, this.context);
      const records = nightRecords(document, at, night);
      candidates.push({ records, lengthS: night.detail.asleepS ?? 0, documents: [document] });
      return [night];
    });
    return { records: [...sessions.records, ...onePerDay(candidates)], faults: sessions.faults };
  }

  #cycle(document: Document, at: string, sleeps: SleepsOfDays): DayCandidate {
    const cycleId = readCycleId(document, 'id', at);
    const sleep = sleeps.found.find((one) => !one.nap && one.cycleId === cycleId);
    // Its sleep may be one that could not be read, and the day is not guessed while somebody must look at that.
    const isGuess = sleep === undefined && sleeps.faults.length > 0;
    return {
      records: isGuess ? [] : cycleRecords(document, at, sleep, this.context),
      lengthS: lengthOf(document, this.context.now),
      documents: [document, sleep?.document],
    };
  }

  #recoveryOf(document: Document, at: string, sleeps: readonly SleepOfDay[]): DayCandidate {
    const sleepId = readSleepId(document, at);
    const sleep = sleeps.find(({ id }) => id === sleepId);
    if (sleep === undefined) return { records: [], lengthS: 0, documents: [] };
    const records = recoveryRecords(document, at, { sleep, name: recoveryName(sleepId), read: this.context });
    return { records, lengthS: sleep.durationS, documents: [document, sleep.document] };
  }

  /** The sleeps that recoveries and cycles go by, those among them that began before the span too. */
  async #sleeps(collection: 'cycle' | 'recovery', listed: readonly unknown[], window: Days): Promise<SleepsOfDays> {
    const found: SleepOfDay[] = [];
    const take = (document: Document, at: string): HealthRecord[] => {
      found.push(sleepOfDay(document, at, this.context));
      return [];
    };
    const inSpan = await this.#list('sleep', window);
    const { faults } = this.#each(inSpan, take);
    const known = new Set(inSpan.map((document) => idOf(document, 'id')));
    const far = collection === 'cycle' ? [] : new Set(listed.map((document) => idOf(document, 'sleep_id')).filter((id) => !known.has(id)));
    const more: Document[] = [];
    for (const id of far) {
      const document = id === undefined ? undefined : await this.#get(`${paths.sleep}/${encodeURIComponent(id)}`, 'sleep');
      if (document !== undefined) more.push(document);
    }
    return { found, faults: [...faults, ...this.#each(more, take, 'sleep').faults] };
  }

  /** A cycle begins up to thirty hours before the day that it counts for, and that day up to fourteen hours before its own in UTC. */
  async #list(collection: Listed, { from, to }: Days): Promise<unknown[]> {
    const documents: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = new URLSearchParams({
        start: `${addDays(from, -2)}T00:00:00.000Z`,
        end: `${addDays(to, 1)}T00:00:00.000Z`,
        limit: String(PAGE_SIZE),
      });
      if (cursor !== undefined) query.set('nextToken', cursor);
      const answer = await this.#get(`${paths[collection]}?${query}`, collection);
      if (answer === undefined) throw new Drift('status 404');
      if (!Array.isArray(answer['records'])) throw new Drift('records is no list');
      documents.push(...(answer['records'] as unknown[]));
      cursor = readCursor(answer);
      if (cursor === undefined) return documents;
    }
    this.#complete = false;
    return documents;
  }

  #each(
    documents: readonly unknown[],
    toRecords: (document: Document, at: string) => readonly HealthRecord[],
    name = 'records',
  ): ReadDocuments {
    return readDocuments(
      documents,
      (index) => `${name}[${index}].`,
      (value, at) => toRecords(readDocument(value, at), at),
    );
  }

  #one(records: readonly HealthRecord[], ...documents: readonly unknown[]): FetchOutcome {
    return recordsOutcome([{ records: hashedRecords(records, ...documents), faults: [] }], this.#complete);
  }

  /** @returns undefined for 404. @throws EndOfRead for every other refusal. */
  async #get(path: string, collection: WhoopCollection): Promise<Document | undefined> {
    const { http, origins, accessToken, now } = this.context;
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const reply = await http.send({ method: 'GET', url: `${origins.api}/developer/v2/${path}`, headers });
    if (reply.status === 404) return undefined;
    const refused = refusalOf(reply, whoopCollections[collection].scope, () => retryAtOf(reply.headers, now));
    if (refused !== undefined) throw new EndOfRead(refused);
    return readDocument(replyJson(reply), '');
  }
}

const dayOf = (day: string): Days => ({ kind: 'days', from: day, to: addDays(day, 1) });

interface SleepsOfDays {
  readonly found: readonly SleepOfDay[];
  readonly faults: readonly string[];
}

/** A name that a document has, if it is one and has it: what is wrong with it is said where it is read. */
function idOf(document: unknown, field: 'id' | 'sleep_id'): string | undefined {
  const id = typeof document === 'object' && document !== null ? (document as Document)[field] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Seconds; of a cycle that runs, until now. */
function lengthOf(cycle: Document, now: number): number {
  const end = cycle['end'];
  return ((typeof end === 'string' ? Date.parse(end) : now) - Date.parse(String(cycle['start']))) / 1000;
}
