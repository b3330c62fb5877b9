import {
  type Dated,
  type SleepDetail,
  type SleepRecord,
  type SleepStage,
  type StageRun,
  type Version,
  type WorkoutRecord,
  roundTo,
  sportOf,
  versionFromText,
} from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { type Moment, readCount, readDuration, readInterval, readObjects } from './fields.js';
import { isManual, sourceOf } from './source.js';

const LONGEST_SLEEP_MS = 30 * 3_600_000;
const LONGEST_WORKOUT_MS = 7 * 86_400_000;

/** One night or nap. It belongs to the day of waking, by the clock of waking. @param at path of the point, ending in a dot. @throws Drift */
export function sleepRecord(point: Document, at: string): SleepRecord {
  const path = `${at}sleep.`;
  const sleep = readDocument(point['sleep'], path);
  const { start, end } = readInterval(sleep, path);
  if (end.ms - start.ms > LONGEST_SLEEP_MS) throw new Drift(`${path}interval is out of any possible range`);
  const metadata = readDocument(sleep['metadata'] ?? {}, `${path}metadata.`);
  return {
    kind: 'sleep',
    ...dated({ point, inner: sleep, filedAt: end, at, path }),
    dayModel: 'night',
    utcOffsetS: start.offsetS,
    endUtcOffsetS: end.offsetS,
    // Its own word and not the clock's: whatever changes later comes with a later version.
    provisional: metadata['processed'] === false || end.basis === 'utc_assumed',
    start: new Date(start.ms).toISOString(),
    end: new Date(end.ms).toISOString(),
    detail: sleepDetail(sleep, metadata, path),
  };
}

/** One exercise. It belongs to the day on which it began. @throws Drift */
export function workoutRecord(point: Document, at: string): WorkoutRecord {
  const path = `${at}exercise.`;
  const exercise = readDocument(point['exercise'], path);
  const { start, end } = readInterval(exercise, path);
  if (end.ms - start.ms > LONGEST_WORKOUT_MS) throw new Drift(`${path}interval is out of any possible range`);
  const metrics = readDocument(exercise['metricsSummary'] ?? {}, `${path}metricsSummary.`);
  const mobility = readDocument(metrics['mobilityMetrics'] ?? {}, `${path}metricsSummary.mobilityMetrics.`);
  const metadata = readDocument(exercise['exerciseMetadata'] ?? {}, `${path}exerciseMetadata.`);
  const number = (name: string, divisor: number, decimals: number) =>
    amount(metrics, name, { at: `${path}metricsSummary.`, divisor, decimals });
  const providerSport = readText(exercise, 'exerciseType', path) ?? '';
  const activeS = readDuration(exercise, 'activeDuration', path);
  return {
    kind: 'workout',
    ...dated({ point, inner: exercise, filedAt: start, at, path }),
    dayModel: 'civil',
    utcOffsetS: start.offsetS,
    endUtcOffsetS: end.offsetS,
    provisional: start.basis === 'utc_assumed',
    start: new Date(start.ms).toISOString(),
    end: new Date(end.ms).toISOString(),
    detail: {
      ...sportOf('google', providerSport),
      providerSport,
      elapsedS: roundTo((end.ms - start.ms) / 1000, 0),
      activeS: activeS === undefined ? null : roundTo(activeS, 0),
      distanceM: number('distanceMillimeters', 1000, 1),
      elevationGainM: number('elevationGainMillimeters', 1000, 1),
      activeEnergyKcal: null,
      totalEnergyKcal: number('caloriesKcal', 1, 1),
      workKj: null,
      hrAvg: number('averageHeartRateBeatsPerMinute', 1, 1),
      hrMax: null,
      hrZonesS: null,
      powerAvgW: null,
      cadenceAvg: amount(mobility, 'avgCadenceStepsPerMinute', { at: `${path}metricsSummary.mobilityMetrics.`, divisor: 1, decimals: 1 }),
      steps: number('steps', 1, 0),
      manual: isManual(point),
      hasRoute: metadata['hasGps'] === true,
      hasStreams: false,
    },
  };
}

interface Filing {
  readonly point: Document;
  readonly inner: Document;
  readonly filedAt: Moment;
  readonly at: string;
  readonly path: string;
}

function dated({
  point,
  inner,
  filedAt,
  at,
  path,
}: Filing): Pick<Dated, 'providerRecordId' | 'source' | 'localDate' | 'dateBasis' | 'version'> {
  return {
    providerRecordId: pointId(point, at),
    source: sourceOf(point, at),
    localDate: filedAt.day,
    dateBasis: filedAt.basis,
    version: versionOf(inner, path),
  };
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
