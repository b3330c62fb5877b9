import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import { type Document, readDocument, readInstant } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext, ProviderReply } from '../provider.js';
import { believablePause, refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type PolarCollection, POLAR_SCOPE, isPolarCollection } from './collections.js';
import { activityDay, activityRecords, physicalRecords, rechargeRecords } from './daily.js';
import { exerciseRecords, exerciseStart } from './exercises.js';
import { readDay } from './fields.js';
import { heartRateRecords } from './heart-rate.js';
import { sleepRecords } from './sleep.js';

type Days = Extract<Window, { kind: 'days' }>;
type ByDate = Exclude<PolarCollection, 'exercises' | 'physical-info'>;

/** The longest span that `from` and `to` may have, both inside. */
const SPAN_DAYS = 28;
/** Longer windows than those of a year are nobody's. */
const MAX_SPANS = 15;

/** The list's name in the answer, where the list is not the answer itself. */
const listOf: Readonly<Record<ByDate, string>> = {
  activities: 'activities',
  sleep: 'nights',
  'nightly-recharge': 'recharges',
  'continuous-heart-rate': 'heart_rates',
};

/** Whether a list can be asked for by `from` and `to`; the others give their last 28 days. */
const byRange: ReadonlySet<PolarCollection> = new Set(['activities', 'continuous-heart-rate']);

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome. Polar has no pages. That
 * something is not there never means that it is gone: exercises are only shown for 30 days, and nothing tells of a deletion.
 */
export async function fetchPolarRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isPolarCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  const read = new PolarRead(context);
  return outcomeOf(async () => {
    if (collection === 'physical-info') return read.physicalInfo();
    if (window.kind === 'object' && collection === 'exercises') return read.exercise(window.id);
    if (window.kind !== 'days') throw new Drift(`windows of ${window.kind} are not known`);
    return collection === 'exercises' ? read.exercises(window) : read.days(collection, window);
  });
}

class PolarRead {
  constructor(private readonly context: FetchContext) {}

  async physicalInfo(): Promise<FetchOutcome> {
    const document = await this.#get('users/physical-info');
    return complete(document === undefined ? [] : physicalRecords(document, ''));
  }

  async exercise(id: string): Promise<FetchOutcome> {
    const document = await this.#get(`exercises/${encodeURIComponent(id)}?samples=true&zones=true`);
    return document === undefined ? { is: 'not-ready' } : complete(exerciseRecords(document, ''));
  }

  async exercises({ from, to }: Days): Promise<FetchOutcome> {
    const listed = listIn(await this.#get('exercises?samples=true&zones=true'), 'exercises');
    return complete(
      listed.flatMap(([value, at]) => {
        const { day } = exerciseStart(value, at);
        return day >= from && day < to ? exerciseRecords(value, at) : [];
      }),
    );
  }

  /** One day by its own address, which its notification names too; more of them by the list. */
  async days(collection: ByDate, window: Days): Promise<FetchOutcome> {
    if (addDays(window.from, 1) === window.to) {
      const document = await this.#get(`users/${collection}/${window.from}`);
      return complete(document === undefined ? [] : await this.#records(collection, document, ''));
    }
    const records: HealthRecord[] = [];
    for (const path of pathsOf(collection, window)) {
      for (const [value, at] of listIn(await this.#get(path), listOf[collection])) {
        const day = dayOf(collection, value, at);
        if (day >= window.from && day < window.to) records.push(...(await this.#records(collection, value, at)));
      }
    }
    return complete(records);
  }

  async #records(collection: ByDate, value: unknown, at: string): Promise<HealthRecord[]> {
    const { now } = this.context;
    switch (collection) {
      case 'activities':
        return activityRecords(value, at, now);
      case 'sleep':
        return sleepRecords(value, at, now);
      case 'nightly-recharge':
        return rechargeRecords(value, at, now);
      case 'continuous-heart-rate':
        return heartRateRecords(value, at, { now, offsetS: await this.#offsetOf(dayOf(collection, value, at)) });
    }
  }

  /** Of all that Polar tells of a day, only its night has an offset. */
  async #offsetOf(day: string): Promise<number | undefined> {
    const night = await this.#get(`users/sleep/${day}`);
    return night === undefined ? undefined : readInstant(readDocument(night, ''), 'sleep_end_time', '').offsetS;
  }

  /** @returns undefined when there is nothing. @throws EndOfRead for every refusal. */
  async #get(path: string): Promise<unknown> {
    const { http, origins, accessToken, now } = this.context;
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const reply = await http.send({ method: 'GET', url: `${origins.api}/v3/${path}`, headers });
    if (reply.status === 204 || reply.status === 404) return undefined;
    const refused = refusalOf(reply, POLAR_SCOPE, () => polarRetryAt(reply.headers, now));
    if (refused !== undefined) throw new EndOfRead(refused);
    return replyJson(reply);
  }
}

const complete = (records: readonly HealthRecord[]): FetchOutcome => ({ is: 'records', complete: true, records });

function pathsOf(collection: ByDate, { from, to }: Days): string[] {
  if (!byRange.has(collection)) return [`users/${collection}`];
  const paths: string[] = [];
  for (let start = from; start < to && paths.length < MAX_SPANS; start = addDays(start, SPAN_DAYS)) {
    const last = addDays(start, SPAN_DAYS - 1);
    const end = last < to ? last : addDays(to, -1);
    paths.push(`users/${collection}?${new URLSearchParams({ from: start, to: end })}`);
  }
  return paths;
}

function dayOf(collection: ByDate, value: unknown, at: string): string {
  return collection === 'activities' ? activityDay(value, at) : readDay(readDocument(value, at), 'date', at);
}

/** The documents of a list with their paths. @throws Drift */
function listIn(value: unknown, name: string): (readonly [unknown, string])[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.map((one: unknown, index) => [one, `[${index}].`]);
  const document: Document = readDocument(value, '');
  const list = document[name] ?? document[name.replaceAll('_', '-')] ?? [];
  if (!Array.isArray(list)) throw new Drift(`${name} is no list`);
  return list.map((one: unknown, index) => [one, `${name}[${index}].`]);
}

/**
 * `RateLimit-Usage`, `-Limit` and `-Reset` hold one number for each of two limits, 15 minutes and a day, with commas between. The pause is
 * that of the limits which are used up, else the shorter one.
 */
export function polarRetryAt(headers: ProviderReply['headers'], now: number): number {
  const numbers = (name: string) => headers[name]?.split(',').map((text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN)) ?? [];
  const [usage, limit, reset] = [numbers('ratelimit-usage'), numbers('ratelimit-limit'), numbers('ratelimit-reset')];
  const known = reset.filter((seconds) => !Number.isNaN(seconds));
  if (known.length === 0) return retryAtOf(headers, now);
  const spent = reset.filter((seconds, index) => !Number.isNaN(seconds) && (usage[index] ?? 0) >= (limit[index] ?? Infinity));
  return believablePause(now + (spent.length > 0 ? Math.max(...spent) : Math.min(...known)) * 1000, now);
}
