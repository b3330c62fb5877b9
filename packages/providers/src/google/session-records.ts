import {
  type SessionClues,
  type SleepDetail,
  type SleepRecord,
  type SleepStage,
  type StageRun,
  type Version,
  type WorkoutRecord,
  providerDay,
  roundTo,
  sleepDate,
  sportOf,
  versionFromText,
  workoutDate,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { readCount, readDuration, readInterval, readObjects } from './fields.js';
import { isManual, sourceOf } from './source.js';

const LONGEST_SLEEP_MS = 30 * 3_600_000;
const LONGEST_WORKOUT_MS = 7 * 86_400_000;

/** One night or nap. It belongs to the day of waking, by the clock of waking. @param at path of the point, ending in a dot. @throws Drift */
export function sleepRecord(value: unknown, at: string, { now, whereabouts }: ReadAt): SleepRecord {
  const point = readDocument(value, at);
  const path = `${at}sleep.`;
  const sleep = readDocument(point['sleep'], path);
  const clues = sessionClues(sleep, path, LONGEST_SLEEP_MS);
  const date = sleepDate(clues, whereabouts);
  if (date === undefined) throw new Drift(`${path}interval is no time of a calendar`);
  const metadata = readDocument(sleep['metadata'] ?? {}, `${path}metadata.`);
  // Its own word and not the clock's: whatever changes later comes with a later version.
  const says = metadata['processed'] === false ? 'open' : undefined;
  return {
    kind: 'sleep',
    ...dateFields(date, providerDay('google', 'sleep', []), { now, closes: 'at_once', providerSays: says, end: clues.end }),
    providerRecordId: pointId(point, at),
    source: sourceOf(point, at),
    version: versionOf(sleep, path),
    coverageEnd: clues.end,
    endUtcOffsetS: date.endUtcOffsetS,
    start: new Date(clues.start).toISOString(),
    end: new Date(clues.end).toISOString(),
    detail: sleepDetail(sleep, metadata, path),
  };
}

/** One exercise. It belongs to the day on which it began. @throws Drift */
export function workoutRecord(value: unknown, at: string, { now, whereabouts }: ReadAt): WorkoutRecord {
  const point = readDocument(value, at);
  const path = `${at}exercise.`;
  const exercise = readDocument(point['exercise'], path);
  const clues = sessionClues(exercise, path, LONGEST_WORKOUT_MS);
  const date = workoutDate(clues, whereabouts);
  if (date === undefined) throw new Drift(`${path}interval is no time of a calendar`);
  const metrics = readDocument(exercise['metricsSummary'] ?? {}, `${path}metricsSummary.`);
  const mobility = readDocument(metrics['mobilityMetrics'] ?? {}, `${path}metricsSummary.mobilityMetrics.`);
  const metadata = readDocument(exercise['exerciseMetadata'] ?? {}, `${path}exerciseMetadata.`);
  const number = (name: string, divisor: number, decimals: number) =>
    amount(metrics, name, { at: `${path}metricsSummary.`, divisor, decimals });
  const providerSport = readText(exercise, 'exerciseType', path) ?? '';
  const activeS = readDuration(exercise, 'activeDuration', path);
  return {
    kind: 'workout',
    ...dateFields(date, providerDay('google', 'exercise', []), { now, closes: 'at_once' }),
    providerRecordId: pointId(point, at),
    source: sourceOf(point, at),
    version: versionOf(exercise, path),
    // Without a version of its own an edit may cut it, and is the later state still.
    coverageEnd: undefined,
    endUtcOffsetS: date.endUtcOffsetS,
    start: new Date(clues.start).toISOString(),
    end: new Date(clues.end).toISOString(),
    detail: {
      ...sportOf('google', providerSport),
      providerSport,
      elapsedS: roundTo(date.durationS, 0),
      activeS: activeS === undefined ? null : roundTo(activeS, 0),
      distanceM: number('distanceMillimeters', 1000, 1),
      elevationGainM: number('elevationGainMillimeters', 1000, 1),
      activeEnergyKcal: null,
      totalEnergyKcal: number('caloriesKcal', 1, 1),
      workKj: null,
      hrAvg: number('averageHeartRateBeatsPerMinute', 1, 1),
      hrMax: null,
      hrZonesS: zones(metrics, `${path}metricsSummary.`),
      powerAvgW: null,
      cadenceAvg: amount(mobility, 'avgCadenceStepsPerMinute', { at: `${path}metricsSummary.mobilityMetrics.`, divisor: 1, decimals: 1 }),
      steps: number('steps', 1, 0),
      manual: isManual(point),
      hasRoute: metadata['hasGps'] === true,
      hasStreams: false,
    },
  };
}

/** @throws Drift */
function sessionClues(inner: Document, path: string, longestMs: number): SessionClues {
  const { start, end } = readInterval(inner, path);
  if (end.ms - start.ms > longestMs) throw new Drift(`${path}interval is out of any possible range`);
  return {
    label: undefined,
    labelShift: 0,
    start: start.ms,
    end: end.ms,
    startOffsetS: start.offsetS,
    endOffsetS: end.offsetS,
    zone: undefined,
  };
}

/** Light, moderate, vigorous, peak; those that are not told were not reached, if any was. @throws Drift */
function zones(metrics: Document, at: string): number[] | null {
  const path = `${at}heartRateZoneDurations.`;
  const durations = readDocument(metrics['heartRateZoneDurations'] ?? {}, path);
  const seconds = ['lightTime', 'moderateTime', 'vigorousTime', 'peakTime'].map((name) => readDuration(durations, name, path));
  return seconds.every((value) => value === undefined) ? null : seconds.map((value) => roundTo(value ?? 0, 0));
}

/** The last word of `users/…/dataPoints/…`: what stands before it is the person's id. @throws Drift */
function pointId(point: Document, at: string): string {
  const id = (readText(point, 'name', at) ?? '').split('/').at(-1);
  if (id === undefined || id === '') throw new Drift(`${at}name is no name`);
  return id;
}

/** @throws Drift */
function versionOf(inner: Document, path: string): Version | undefined {
  const text = readText(inner, 'updateTime', path);
  if (text === undefined) return undefined;
  const version = versionFromText(text);
  if (version === undefined) throw new Drift(`${path}updateTime is no instant`);
  return version;
}

/** Not negative, divided into our unit, rounded. @throws Drift */
function amount(
  document: Document,
  name: string,
  { at, divisor, decimals }: { at: string; divisor: number; decimals: number },
): number | null {
  const value = readCount(document, name, at);
  if (value !== null && value < 0) throw new Drift(`${at}${name} is negative`);
  return value === null ? null : roundTo(value / divisor, decimals);
}

const stageOf: Readonly<Record<string, SleepStage>> = {
  AWAKE: 'awake',
  LIGHT: 'light',
  DEEP: 'deep',
  REM: 'rem',
  ASLEEP: 'asleep',
  RESTLESS: 'restless',
};

/** Google counts whole minutes; stages are to the half minute. */
function sleepDetail(sleep: Document, metadata: Document, path: string): SleepDetail {
  const summary = readDocument(sleep['summary'] ?? {}, `${path}summary.`);
  const seconds = (name: string) => amount(summary, name, { at: `${path}summary.`, divisor: 1 / 60, decimals: 0 });
  const inBedS = seconds('minutesInSleepPeriod');
  const asleepS = seconds('minutesAsleep');
  const totals = new Map<string, number | null>();
  for (const [index, total] of readObjects(summary, 'stagesSummary', `${path}summary.`).entries()) {
    const at = `${path}summary.stagesSummary[${index}].`;
    totals.set(readText(total, 'type', at) ?? '', amount(total, 'minutes', { at, divisor: 1 / 60, decimals: 0 }));
  }
  const [light, deep, rem] = ['LIGHT', 'DEEP', 'REM'].map((type) => totals.get(type) ?? null);
  // A sleep without any stage had none measured, rather than none of each. Where one was measured, those not told were not reached.
  const staged = Boolean(light) || Boolean(deep) || Boolean(rem);
  const reached = (value: number | null | undefined) => (staged ? (value ?? 0) : null);
  const isNap = metadata['nap'] === true;
  return {
    isMain: typeof metadata['mainSleep'] === 'boolean' ? metadata['mainSleep'] : !isNap,
    isNap,
    inBedS,
    asleepS,
    awakeS: seconds('minutesAwake'),
    lightS: reached(light),
    deepS: reached(deep),
    remS: reached(rem),
    latencyS: seconds('minutesToFallAsleep'),
    efficiencyPct: inBedS !== null && inBedS > 0 && asleepS !== null ? roundTo((asleepS / inBedS) * 100, 1) : null,
    hrAvg: null,
    hrMin: null,
    hrvRmssd: null,
    respiratoryRate: null,
    stages: readObjects(sleep, 'stages', path).map((stage, index) => stageRun(stage, `${path}stages[${index}].`)),
  };
}

function stageRun(stage: Document, at: string): StageRun {
  const [start, end] = ['startTime', 'endTime'].map((name) => {
    const ms = Date.parse(readText(stage, name, at) ?? '');
    if (Number.isNaN(ms)) throw new Drift(`${at}${name} is no instant`);
    return new Date(ms).toISOString();
  });
  return { start: start as string, end: end as string, stage: stageOf[readText(stage, 'type', at) ?? ''] ?? 'unknown' };
}
