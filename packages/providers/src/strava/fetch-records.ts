import { type FetchOutcome, type Window, addDays } from '@tributary/domain';
import { readDocument } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import { parseJson } from '../parse-json.js';
import { type FetchContext, MalformedDelivery, type ProviderReply, ProviderUnreachable } from '../provider.js';
import { type ReadDocuments, hashedRecords, readDocuments, recordsOutcome } from '../read-documents.js';
import { NO_JSON, believablePause, refusalOf, retryAtOf } from '../reply.js';
import { type StravaCollection, isStravaCollection, stravaCollections } from './collections.js';
import { isAboutActivity, missingScope } from './errors.js';
import { activityRecords, athleteRecords, hasHeartRate, heartRateRecords, readActivityId, readLocalDay } from './to-records.js';

/** Pages of one list that we follow: three thousand activities. */
const MAX_PAGES = 15;
/** The most that Strava gives. */
const PAGE_SIZE = 200;

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;

type Days = Extract<Window, { kind: 'days' }>;

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 * A list shows activities in short, without energy and device, so each is read by its id too: otherwise what a webhook brought would
 * change with the next sweep.
 */
export async function fetchStravaRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isStravaCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  const read = new StravaRead(context);
  return outcomeOf(() => {
    if (collection === 'athlete') return read.athlete();
    if (window.kind === 'object') return read.activity(window.id);
    if (window.kind === 'days') return read.days(window);
    throw new Drift(`windows of kind ${window.kind} are not known`);
  });
}

class StravaRead {
  constructor(private readonly context: FetchContext) {}

  async athlete(): Promise<FetchOutcome> {
    const document = readDocument(await this.#get('athlete', 'athlete'), '');
    return recordsOutcome([{ records: hashedRecords(athleteRecords(document, '', this.context), document), faults: [] }], true);
  }

  async activity(id: string): Promise<FetchOutcome> {
    const read = await this.#read(id, '');
    return read === undefined ? { is: 'gone' } : recordsOutcome([read], true);
  }

  /** Times are asked for in UTC and with a day more on each side, and cut by the day that Strava gives. */
  async days({ from, to }: Days): Promise<FetchOutcome> {
    const paths = new Map<string, string>();
    const reads: ReadDocuments[] = [];
    let complete = false;
    for (let page = 1; page <= MAX_PAGES && !complete; page += 1) {
      const query = new URLSearchParams({
        after: String(secondsAt(addDays(from, -1))),
        before: String(secondsAt(addDays(to, 1))),
        page: String(page),
        per_page: String(PAGE_SIZE),
      });
      const list = await this.#get(`athlete/activities?${query}`, 'activity');
      if (!Array.isArray(list)) throw new Drift('body is no list');
      const at = (index: number) => `[${index}].`;
      const listed = readDocuments(list as unknown[], at, (value, path) => {
        const document = readDocument(value, path);
        const day = readLocalDay(document, path);
        if (day >= from && day < to) paths.set(readActivityId(document, path), path);
        return [];
      });
      reads.push(listed);
      // A page can be shorter than asked for; only an empty one is the last.
      complete = list.length === 0;
    }
    for (const [id, at] of paths) reads.push(await this.#readApart(id, at));
    return recordsOutcome(reads, complete);
  }

  /** One of many: what is wrong with it is wrong with no other. What is there no more was deleted since, or hidden from us. */
  async #readApart(id: string, at: string): Promise<ReadDocuments> {
    try {
      return (await this.#read(id, at)) ?? { records: [], faults: [] };
    } catch (error) {
      if (!(error instanceof Drift)) throw error;
      return { records: [], faults: [error.message] };
    }
  }

  /** @returns undefined when there is no such activity, or none that we may see. @throws Drift when the activity is of another shape. */
  async #read(id: string, at: string): Promise<ReadDocuments | undefined> {
    const found = await this.#get(`activities/${encodeURIComponent(id)}`, 'activity');
    if (found === undefined) return undefined;
    const document = readDocument(found, at);
    const activity = { records: hashedRecords(activityRecords(document, at, this.context), document), faults: [] };
    if (!hasHeartRate(document)) return activity;
    const streams = await this.#get(`activities/${encodeURIComponent(id)}/streams?keys=time,heartrate&key_by_type=true`, 'activity');
    // It had a heart rate a moment ago, and has none that can be read.
    if (streams === undefined) return activity;
    // A stream of another shape takes nothing from the workout.
    const rates = readDocuments(
      [streams],
      () => at,
      (value) => heartRateRecords(document, readDocument(value, at), this.context),
    );
    return { records: [...activity.records, ...rates.records], faults: rates.faults };
  }

  /** @returns undefined for what is not there. @throws EndOfRead for every other refusal. */
  async #get(path: string, collection: StravaCollection): Promise<unknown> {
    const { http, origins, accessToken, now } = this.context;
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const reply = await http.send({ method: 'GET', url: `${origins.api}/api/v3/${path}`, headers });
    // 403 of an activity: it was made private, and we may not see private ones.
    if (reply.status === 404 || (reply.status === 403 && isAboutActivity(reply))) return undefined;
    const scope = reply.status === 401 ? missingScope(reply) : undefined;
    if (scope !== undefined) throw new EndOfRead({ is: 'forbidden', scope });
    const refused = refusalOf(reply, stravaCollections[collection].scope, () => stravaRetryAt(reply.headers, now));
    if (refused !== undefined) throw new EndOfRead(refused);
    return losslessJson(reply);
  }
}

/**
 * Quotas are of the whole app: pairs of a quarter of an hour and a day, whose windows begin at :00, :15, :30 and :45 and at midnight UTC.
 * `X-ReadRateLimit-…` counts what reads, `X-RateLimit-…` everything.
 */
export function stravaRetryAt(headers: ProviderReply['headers'], now: number): number {
  if (headers['retry-after'] !== undefined) return retryAtOf(headers, now);
  const isSpent = (window: 0 | 1) =>
    ['x-ratelimit', 'x-readratelimit'].some((name) => {
      const limit = Number(headers[`${name}-limit`]?.split(',')[window]);
      return Number(headers[`${name}-usage`]?.split(',')[window]) >= limit;
    });
  const next = (lengthMs: number) => (Math.floor(now / lengthMs) + 1) * lengthMs;
  if (isSpent(1)) return believablePause(next(DAY_MS), now);
  return believablePause(next(QUARTER_HOUR_MS), now);
}

/** Ids have 64 bits, and none may become its neighbour's. */
function losslessJson(reply: ProviderReply): unknown {
  try {
    return parseJson(reply.body);
  } catch (error) {
    if (error instanceof MalformedDelivery) throw new ProviderUnreachable(NO_JSON, { cause: error });
    throw error;
  }
}

function secondsAt(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}
