import { type FetchOutcome, type HealthRecord, type Window, addDays, civilDate } from '@tributary/domain';
import { type Document, readDocument, readInstant } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext, ProviderReply } from '../provider.js';
import { type ReadDocuments, hashedRecords, inputHashOf, readDocuments, recordsOutcome } from '../read-documents.js';
import { believablePause, refusalOf, replyJson, retryAtOf } from '../reply.js';
import { skinTemperatureRecords, spo2Records, spo2Time } from './biosensing.js';
import { type PolarCollection, POLAR_SCOPE, SPAN_DAYS, isPolarCollection } from './collections.js';
import { activityDay, activityRecords, physicalRecords, rechargeRecords } from './daily.js';
import { exerciseRecords, exerciseStart } from './exercises.js';
import { readDay, readUnderscored } from './fields.js';
import { heartRateRecords } from './heart-rate.js';
import { sleepRecords } from './sleep.js';

type Days = Extract<Window, { kind: 'days' }>;
type ByDate = Exclude<PolarCollection, 'exercises' | 'physical-info'>;

/** Longer windows than those of a year are nobody's. */
const MAX_SPANS = 15;

/** The list's name in the answer, where the list is not the answer itself. */
const listOf: Readonly<Record<ByDate, string>> = {
  activities: 'activities',
  sleep: 'nights',
  'nightly-recharge': 'recharges',
  'continuous-heart-rate': 'heart_rates',
  'skin-temperature': 'skin_temperatures',
  spo2: 'spo2_tests',
};

/** Whether a list can be asked for by `from` and `to`; the others give their last 28 days. */
const byRange: ReadonlySet<PolarCollection> = new Set(['activities', 'continuous-heart-rate', 'skin-temperature', 'spo2']);

/** What has no address for each of its days. */
const onlyByRange: ReadonlySet<PolarCollection> = new Set(['skin-temperature', 'spo2']);

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
    return whole(document === undefined ? [] : hashedRecords(physicalRecords(document, '', this.context), document));
  }

  async exercise(id: string): Promise<FetchOutcome> {
    const document = await this.#get(`exercises/${encodeURIComponent(id)}?samples=true&zones=true`);
    return document === undefined ? { is: 'not-ready' } : whole(hashedRecords(exerciseRecords(document, '', this.context), document));
  }

  async exercises({ from, to }: Days): Promise<FetchOutcome> {
    const listed = await this.#list('exercises?samples=true&zones=true', 'exercises');
    const read = readEach(listed, (value, at) => {
      const { day } = exerciseStart(value, at);
      return day >= from && day < to ? exerciseRecords(value, at, this.context) : [];
    });
    return recordsOutcome([read], true);
  }

  /** One day by its own address, which its notification names too; more of them by the list. */
  async days(collection: ByDate, window: Days): Promise<FetchOutcome> {
    if (addDays(window.from, 1) === window.to && !onlyByRange.has(collection)) {
      const document = await this.#get(`users/${collection}/${window.from}`);
      if (document === undefined) return whole([]);
      const offsets = await this.#offsetsOf(collection, [[document, '']]);
      return whole(hashedRecords(this.#records(collection, document, '', offsets), document));
    }
    const reads: ReadDocuments[] = [];
    const isIn = (day: string | undefined) => day !== undefined && day >= window.from && day < window.to;
    const { paths, complete } = pathsOf(collection, window);
    for (const path of paths) {
      const listed = await this.#list(path, listOf[collection], onlyByRange.has(collection));
      const wanted = listed.filter(([value, at]) => isIn(this.#dayIn(collection, value, at)));
      const offsets = await this.#offsetsOf(collection, wanted);
      reads.push(
        readEach(listed, (value, at) => (isIn(this.#dayOf(collection, value, at)) ? this.#records(collection, value, at, offsets) : [])),
      );
    }
    return recordsOutcome(reads, complete);
  }

  #records(collection: ByDate, value: unknown, at: string, offsets: Offsets): HealthRecord[] {
    switch (collection) {
      case 'activities':
        return activityRecords(value, at, this.context);
      case 'sleep':
        return sleepRecords(value, at, this.context);
      case 'nightly-recharge':
        return rechargeRecords(value, at, this.context);
      case 'skin-temperature':
        return skinTemperatureRecords(value, at, this.context);
      case 'spo2':
        return spo2Records(value, at, this.context);
      case 'continuous-heart-rate': {
        const offsetS = offsets.get(readDay(readUnderscored(value, at), 'date', at));
        const inputHash = inputHashOf([value, offsetS ?? null]);
        return heartRateRecords(value, at, offsetS, this.context).map((record) => ({ ...record, inputHash }));
      }
    }
  }

  /** Of all that Polar tells of a day, only its night has an offset; of a night that cannot be read its own window tells. */
  async #offsetsOf(collection: ByDate, wanted: Listed): Promise<Offsets> {
    const offsets = new Map<string, number>();
    if (collection !== 'continuous-heart-rate') return offsets;
    const days = wanted.flatMap(([value, at]) => this.#dayIn(collection, value, at) ?? []);
    const [only] = days;
    if (only === undefined) return offsets;
    // Nights are shown for 28 days, by their list as by their addresses.
    const nights =
      days.length === 1 ? [await this.#get(`users/sleep/${only}`)] : (await this.#list('users/sleep', 'nights')).map(([night]) => night);
    for (const night of nights) {
      if (night === undefined) continue;
      const said = unlessDrift(() => {
        const document = readUnderscored(night, '');
        return [readDay(document, 'date', ''), readInstant(document, 'sleep_end_time', '').offsetS] as const;
      });
      if (said !== undefined) offsets.set(...said);
    }
    return offsets;
  }

  #dayOf(collection: ByDate, value: unknown, at: string): string {
    if (collection === 'activities') return activityDay(value, at);
    if (collection !== 'spo2') return readDay(readUnderscored(value, at), collection === 'skin-temperature' ? 'sleep_date' : 'date', at);
    const { ms, offsetS } = spo2Time(value, at);
    const date = civilDate({ label: undefined, labelShift: 0, at: ms, offsetS, zone: undefined }, this.context.whereabouts);
    if (date === undefined) throw new Drift(`${at}test_time is no time`);
    return date.localDate;
  }

  /** Undefined where it has none: that is said where it is read. */
  #dayIn(collection: ByDate, value: unknown, at: string): string | undefined {
    return unlessDrift(() => this.#dayOf(collection, value, at));
  }

  /**
   * @param isOptional a list that only some devices fill: of others its address may be missing or closed.
   * @throws Drift when the list is none or not there: an address that was closed down is not an empty one.
   */
  async #list(path: string, name: string, isOptional = false): Promise<Listed> {
    const reply = await this.#send(path);
    if (reply.status === 204 || (isOptional && (reply.status === 404 || reply.status === 403))) return [];
    return listIn(this.#read(reply), name);
  }

  /** @returns undefined when there is nothing. @throws EndOfRead for every refusal. */
  async #get(path: string): Promise<unknown> {
    const reply = await this.#send(path);
    return reply.status === 204 || reply.status === 404 ? undefined : this.#read(reply);
  }

  #send(path: string): Promise<ProviderReply> {
    const { http, origins, accessToken } = this.context;
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    return http.send({ method: 'GET', url: `${origins.api}/v3/${path}`, headers });
  }

  #read(reply: ProviderReply): unknown {
    const refused = refusalOf(reply, POLAR_SCOPE, () => polarRetryAt(reply.headers, this.context.now));
    if (refused !== undefined) throw new EndOfRead(refused);
    return replyJson(reply);
  }
}

/** Seconds east of UTC by day. */
type Offsets = ReadonlyMap<string, number>;

const whole = (records: readonly HealthRecord[]): FetchOutcome => recordsOutcome([{ records, faults: [] }], true);

function readEach(listed: Listed, toRecords: (value: unknown, at: string) => HealthRecord[]): ReadDocuments {
  const values = listed.map(([value]) => value);
  return readDocuments(values, (index) => listed[index]?.[1] ?? '', toRecords);
}

function unlessDrift<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Drift) return undefined;
    throw error;
  }
}

/** Tests are asked for with a day more on each side: whose calendar `from` and `to` are of is not said. */
function pathsOf(collection: ByDate, window: Days): { readonly paths: readonly string[]; readonly complete: boolean } {
  if (!byRange.has(collection)) return { paths: [`users/${collection}`], complete: true };
  const path = pathOf[collection] ?? collection;
  const [from, to] = collection === 'spo2' ? [addDays(window.from, -1), addDays(window.to, 1)] : [window.from, window.to];
  const paths: string[] = [];
  let start = from;
  for (; start < to && paths.length < MAX_SPANS; start = addDays(start, SPAN_DAYS)) {
    const last = addDays(start, SPAN_DAYS - 1);
    const end = last < to ? last : addDays(to, -1);
    paths.push(`users/${path}?${new URLSearchParams({ from: start, to: end })}`);
  }
  return { paths, complete: start >= to };
}

/** Below `/v3/users`, where it is not their own name. */
const pathOf: Readonly<Partial<Record<ByDate, string>>> = {
  'skin-temperature': 'biosensing/skintemperature',
  spo2: 'biosensing/spo2',
};

/** Documents with their paths in their answer. */
type Listed = readonly (readonly [value: unknown, at: string])[];

/** The documents of a list with their paths. @throws Drift */
function listIn(value: unknown, name: string): Listed {
  if (Array.isArray(value)) return value.map((one: unknown, index) => [one, `[${index}].`]);
  const document: Document = readDocument(value, '');
  const list = document[name] ?? document[name.replaceAll('_', '-')];
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
