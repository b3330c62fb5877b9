import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import { type Document, readDocument } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type WhoopCollection, isWhoopCollection, recoveryName, sleepIdOf, whoopCollections } from './collections.js';
import { bodyRecords, cycleRecords, recoveryRecords, sleepRecords, workoutRecords } from './to-records.js';
import { type SleepOfDay, readCursor, readCycleId, readSleepId, sleepOfDay } from './sleep-of-day.js';

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
    return document === undefined ? { is: 'gone' } : this.#records(bodyRecords(document, '', this.context));
  }

  async object(collection: Listed, id: string): Promise<FetchOutcome> {
    if (collection === 'recovery') return this.#recovery(sleepIdOf(id));
    const document = await this.#get(`${paths[collection]}/${encodeURIComponent(id)}`, collection);
    if (document === undefined) return { is: 'gone' };
    if (collection === 'sleep') return this.#records(sleepRecords(document, ''));
    if (collection === 'workout') return this.#records(workoutRecords(document, ''));
    const sleep = await this.#get(`cycle/${encodeURIComponent(id)}/sleep`, 'sleep');
    return this.#records(cycleRecords(document, '', sleep && sleepOfDay(sleep, '')));
  }

  /** Only a list or a cycle leads to it: v2 has no address for the recovery of a sleep. */
  async #recovery(sleepId: string): Promise<FetchOutcome> {
    const sleep = await this.#sleep(sleepId);
    if (sleep === undefined) return { is: 'gone' };
    const document = await this.#get(`cycle/${encodeURIComponent(sleep.cycleId)}/recovery`, 'recovery');
    // The cycle may have another sleep, and the recovery be that one's.
    if (document === undefined || readSleepId(document, '') !== sleepId) return { is: 'gone' };
    return this.#records(recoveryRecords(document, '', sleep, recoveryName(sleepId)));
  }

  async days(collection: Listed, window: Days): Promise<FetchOutcome> {
    const documents = await this.#list(collection, window);
    const records = await this.#ofDocuments(collection, documents, window);
    return this.#records(
      records.filter((record) => record.kind === 'deleted' || (record.localDate >= window.from && record.localDate < window.to)),
    );
  }

  async #ofDocuments(collection: Listed, documents: readonly Document[], window: Days): Promise<HealthRecord[]> {
    if (collection === 'sleep') return documents.flatMap((document, n) => sleepRecords(document, `records[${n}].`));
    if (collection === 'workout') return documents.flatMap((document, n) => workoutRecords(document, `records[${n}].`));
    const sleeps = (await this.#list('sleep', window)).map((document, n) => sleepOfDay(document, `records[${n}].`));
    const records: HealthRecord[] = [];
    const entries = [...documents.entries()];
    // A day that woke twice has two cycles. They are not added up: the longer one, which comes last, stands for the day.
    if (collection === 'cycle') entries.sort(([, a], [, b]) => lengthOf(a, this.context.now) - lengthOf(b, this.context.now));
    for (const [n, document] of entries) {
      const at = `records[${n}].`;
      if (collection === 'cycle') {
        const cycleId = readCycleId(document, 'id', at);
        records.push(
          ...cycleRecords(
            document,
            at,
            sleeps.find((sleep) => !sleep.nap && sleep.cycleId === cycleId),
          ),
        );
        continue;
      }
      const sleepId = readSleepId(document, at);
      const sleep = sleeps.find(({ id }) => id === sleepId) ?? (await this.#sleep(sleepId));
      if (sleep !== undefined) records.push(...recoveryRecords(document, at, sleep, recoveryName(sleepId)));
    }
    return records;
  }

  async #sleep(id: string): Promise<SleepOfDay | undefined> {
    const document = await this.#get(`${paths.sleep}/${encodeURIComponent(id)}`, 'sleep');
    return document && sleepOfDay(document, '');
  }

  /** A cycle begins up to thirty hours before the day that it counts for, and that day up to fourteen hours before its own in UTC. */
  async #list(collection: Listed, { from, to }: Days): Promise<Document[]> {
    const documents: Document[] = [];
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
      documents.push(...answer['records'].map((value, n) => readDocument(value, `records[${n}].`)));
      cursor = readCursor(answer);
      if (cursor === undefined) return documents;
    }
    this.#complete = false;
    return documents;
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

  #records(records: readonly HealthRecord[]): FetchOutcome {
    return { is: 'records', complete: this.#complete, records };
  }
}

/** Milliseconds; of a cycle that runs, until now. */
function lengthOf(cycle: Document, now: number): number {
  const end = cycle['end'];
  return (typeof end === 'string' ? Date.parse(end) : now) - Date.parse(String(cycle['start']));
}
