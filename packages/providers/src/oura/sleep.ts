import {
  type DailyRecord,
  type HealthRecord,
  type SleepDetail,
  type SleepRecord,
  type SleepStage,
  type StageRun,
  mainSleep,
  providerDay,
  roundTo,
  sleepDate,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readId, readInstant, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue, readQuantity } from '../quantities.js';
import { hashedRecords } from '../read-documents.js';
import { readDay, ring } from './documents.js';

const PHASE_MS = 300_000;
const LONGEST_MS = 30 * 3_600_000;

/** `sleep_phase_5_min`: one character for each five minutes. */
const stageOf: Readonly<Record<string, SleepStage>> = { 1: 'deep', 2: 'light', 3: 'rem', 4: 'awake' };

/** A sleep of Oura's, with what of it belongs to its night. */
export interface OuraSleep {
  readonly document: Document;
  readonly at: string;
  readonly record: SleepRecord;
}

/**
 * One document to a night or a nap, in canonical units, rounded to what counts as a change. Undefined where Oura says that there is none:
 * it was deleted, or the person said that it was rest. @throws Drift naming the path.
 */
export function readSleep(value: unknown, at: string, read: ReadAt): OuraSleep | undefined {
  const document = readDocument(value, at);
  const type = readText(document, 'type', at);
  const providerRecordId = readId(document, at);
  if (type === 'deleted' || type === 'rest') return undefined;
  const day = providerDay('oura', 'sleep', []);
  const start = readInstant(document, 'bedtime_start', at);
  const end = readInstant(document, 'bedtime_end', at);
  if (end.ms < start.ms) throw new Drift(`${at}bedtime_end is before bedtime_start`);
  if (end.ms - start.ms > LONGEST_MS) throw new Drift(`${at}bedtime_end is out of any possible range`);
  const clues = { label: readDay(document, at), labelShift: day.labelShift, start: start.ms, end: end.ms, zone: undefined };
  const date = sleepDate({ ...clues, startOffsetS: start.offsetS, endOffsetS: end.offsetS }, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}bedtime_end is no instant with an offset`);
  const record: SleepRecord = {
    kind: 'sleep',
    providerRecordId,
    source: ring,
    version: undefined,
    coverageEnd: end.ms,
    ...dateFields(date, day, { now: read.now, end: end.ms, endOffsetS: end.offsetS }),
    endUtcOffsetS: date.endUtcOffsetS,
    start: new Date(start.ms).toISOString(),
    end: new Date(end.ms).toISOString(),
    detail: sleepDetail(document, { at, type, startMs: start.ms, endMs: end.ms }),
  };
  return { document, at, record };
}

/** The session alone; what Oura says is none goes, with all that was made of it. @throws Drift */
export function sleepRecords(value: unknown, at: string, read: ReadAt): HealthRecord[] {
  const sleep = readSleep(value, at, read);
  return sleep === undefined ? [{ kind: 'deleted', providerRecordId: readId(readDocument(value, at), at) }] : [sleep.record];
}

/**
 * What of the sleeps of a day is a value of that day: that of its night, and not of its naps. A day can have several long sleeps, so all of
 * the day must be there. @throws Drift
 */
export function nightRecords(sleepsOfDay: readonly OuraSleep[]): DailyRecord[] {
  const night = mainSleep(
    sleepsOfDay.map(({ record }) => ({
      recordId: record.providerRecordId,
      durationS: record.detail.asleepS ?? 0,
      isNap: record.detail.isNap,
      // A sleep of a type that we do not know is no night.
      isMain: record.detail.isMain,
    })),
  );
  const main = sleepsOfDay.find(({ record }) => record.providerRecordId === night);
  if (main === undefined) return [];
  const { document, at, record } = main;
  const { kind, start, end, endUtcOffsetS, detail, ...dated } = record;
  const number = <U extends string>(field: string, unit: U) => readQuantity(document, field, unit, at);
  const values = [
    ...dailyValue('sleep_duration', number('total_sleep_duration', 's'), dated, `${at}total_sleep_duration`),
    ...dailyValue('hrv_rmssd_night', number('average_hrv', 'ms'), dated, `${at}average_hrv`),
    ...dailyValue('respiratory_rate_night', number('average_breath', '/min'), dated, `${at}average_breath`),
  ];
  return hashedRecords(values, document) as DailyRecord[];
}

interface SleepFrame {
  readonly at: string;
  readonly type: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
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
