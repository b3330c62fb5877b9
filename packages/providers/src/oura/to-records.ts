import {
  type DailyMetric,
  type DailyRecord,
  type HealthRecord,
  type SleepDetail,
  type SleepRecord,
  type SleepStage,
  type Source,
  type StageRun,
  closesAt,
  dailyMetrics,
  isCivilDay,
  offsetOfText,
  rangeOf,
  roundTo,
} from '@tributary/domain';
import { type Document, readDocument, readId, readInstant, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import type { OuraCollection } from './collections.js';

/** Oura merges whatever rings a person wears into one stream; the ring's own id would change with a new ring. */
const ring: Source = { id: 'src_oura_ring', type: 'ring', manufacturer: 'Oura', model: undefined };

/** Which field of a daily activity holds which metric, already in the metric's unit. */
const activityFields = {
  steps: 'steps',
  active_energy: 'active_calories',
  total_energy: 'total_calories',
  distance: 'equivalent_walking_distance',
} as const satisfies Partial<Record<DailyMetric, string>>;

/** The activity day runs from 04:00 to 04:00. */
const ACTIVITY_DAY_STARTS_H = 4;
const PHASE_MS = 300_000;

/** `sleep_phase_5_min`: one character for each five minutes. */
const stageOf: Readonly<Record<string, SleepStage>> = { 1: 'deep', 2: 'light', 3: 'rem', 4: 'awake' };

/**
 * One document to records, in canonical units, rounded to what counts as a change.
 * @param at path of the document in its answer, ending in a dot or empty.
 * @param now epoch milliseconds; decides only whether the day is closed.
 * @throws Drift naming the path.
 */
export function toRecords(collection: OuraCollection, value: unknown, at: string, now: number): HealthRecord[] {
  const document = readDocument(value, at);
  return collection === 'daily_activity' ? activity(document, at, now) : sleep(document, at, now);
}

/** @throws Drift */
export function readList(value: unknown): { readonly data: readonly unknown[]; readonly nextToken: string | undefined } {
  const list = readDocument(value, '');
  if (!Array.isArray(list['data'])) throw new Drift('data is no list');
  const token = list['next_token'];
  if (token !== undefined && token !== null && typeof token !== 'string') throw new Drift('next_token is no text');
  return { data: list['data'], nextToken: token === null || token === '' ? undefined : token };
}

/** The civil day that a document files itself under. @throws Drift */
export function readDay(value: unknown, at: string): string {
  const day = readDocument(value, at)['day'];
  if (typeof day !== 'string' || !isCivilDay(day)) throw new Drift(`${at}day is no civil day`);
  return day;
}

function activity(document: Document, at: string, now: number): DailyRecord[] {
  const day = readDay(document, at);
  const utcOffsetS = offsetOfText(readText(document, 'timestamp', at) ?? '');
  const dated = {
    providerRecordId: readId(document, at),
    source: ring,
    localDate: day,
    dateBasis: 'provider_date',
    dayModel: 'civil_0400',
    utcOffsetS,
    provisional: now < closesAt(day, utcOffsetS, ACTIVITY_DAY_STARTS_H),
    version: undefined,
  } as const;
  return Object.entries(activityFields).flatMap(([name, field]) => {
    const metric = name as DailyMetric;
    const raw = readNumber(document, field, at);
    if (raw === null) return [];
    const value = roundTo(raw, dailyMetrics[metric].decimals);
    if (rangeOf(dailyMetrics[metric], value) === 'impossible') throw new Drift(`${at}${field} is out of any possible range`);
    return [{ kind: 'daily', metric, value, ...dated }];
  });
}

function sleep(document: Document, at: string, now: number): HealthRecord[] {
  const providerRecordId = readId(document, at);
  const type = readText(document, 'type', at);
  // `rest`: the person said that it was no sleep. What we may hold of it from before that answer goes.
  if (type === 'deleted' || type === 'rest') return [{ kind: 'deleted', providerRecordId }];
  const localDate = readDay(document, at);
  const start = readInstant(document, 'bedtime_start', at);
  const end = readInstant(document, 'bedtime_end', at);
  if (end.ms < start.ms) throw new Drift(`${at}bedtime_end is before bedtime_start`);
  if (end.ms - start.ms > 30 * 3_600_000) throw new Drift(`${at}bedtime_end is out of any possible range`);
  const record: SleepRecord = {
    kind: 'sleep',
    providerRecordId,
    source: ring,
    localDate,
    dateBasis: 'provider_date',
    dayModel: 'night',
    utcOffsetS: start.offsetS,
    endUtcOffsetS: end.offsetS,
    provisional: now < closesAt(localDate, end.offsetS, 0),
    version: undefined,
    start: new Date(start.ms).toISOString(),
    end: new Date(end.ms).toISOString(),
    detail: sleepDetail(document, { at, type, startMs: start.ms, endMs: end.ms }),
  };
  return [record];
}

function sleepDetail(document: Document, { at, type, startMs, endMs }: SleepFrame): SleepDetail {
  const number = (field: string, decimals: number) => {
    const value = readNumber(document, field, at);
    if (value !== null && value < 0) throw new Drift(`${at}${field} is negative`);
    return value === null ? null : roundTo(value, decimals);
  };
  const inBedS = number('time_in_bed', 0);
  const asleepS = number('total_sleep_duration', 0);
  const light = number('light_sleep_duration', 0);
  const deep = number('deep_sleep_duration', 0);
  const rem = number('rem_sleep_duration', 0);
  // Sleep without any stage means that stages were not measured, not that there were none of each.
  const staged = !(asleepS !== null && asleepS > 0 && !light && !deep && !rem);
  return {
    isMain: type === 'long_sleep',
    // `sleep` is a sleep of under three hours by day, `late_nap` one that ends in the evening.
    isNap: type === 'sleep' || type === 'late_nap',
    inBedS,
    asleepS,
    awakeS: number('awake_time', 0),
    lightS: staged ? light : null,
    deepS: staged ? deep : null,
    remS: staged ? rem : null,
    latencyS: number('latency', 0),
    efficiencyPct: inBedS !== null && inBedS > 0 && asleepS !== null ? roundTo((asleepS / inBedS) * 100, 1) : null,
    hrAvg: number('average_heart_rate', 1),
    hrMin: number('lowest_heart_rate', 1),
    hrvRmssd: number('average_hrv', 1),
    respiratoryRate: number('average_breath', 1),
    stages: stageRuns(readText(document, 'sleep_phase_5_min', at) ?? '', { startMs, endMs, staged }),
  };
}

interface SleepFrame {
  readonly at: string;
  readonly type: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
}

function stageRuns(phases: string, { startMs, endMs, staged }: { startMs: number; endMs: number; staged: boolean }): StageRun[] {
  const runs: StageRun[] = [];
  for (let index = 0; index < phases.length; index += 1) {
    const from = startMs + index * PHASE_MS;
    const to = Math.min(from + PHASE_MS, endMs);
    if (to <= from) break;
    const named = stageOf[phases[index] as string] ?? 'unknown';
    const stage = staged || named === 'awake' ? named : 'unknown';
    const last = runs.at(-1);
    const end = new Date(to).toISOString();
    if (last?.stage === stage) runs[runs.length - 1] = { ...last, end };
    else runs.push({ start: new Date(from).toISOString(), end, stage });
  }
  return runs;
}
