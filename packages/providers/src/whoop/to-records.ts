import {
  type CivilDate,
  type DailyRecord,
  type Dated,
  type HealthRecord,
  type MeasurementRecord,
  type SleepDetail,
  type SleepRecord,
  type Source,
  type WorkoutRecord,
  canonical,
  dailyMetrics,
  nightDate,
  providerDay,
  roundTo,
  sleepDate,
  sportOf,
  workoutDate,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readId, readInstant, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue, profileValue, readQuantity } from '../quantities.js';
import { type SleepOfDay, readCycleId, readFlag, readOffset, readVersion } from './sleep-of-day.js';

/** WHOOP merges whatever bands a person wears. */
const band: Source = { id: 'src_whoop_band', type: 'band', manufacturer: 'WHOOP', model: undefined };

/** A sleep that goes on for longer has an end that is wrong. */
const LONGEST_SLEEP_MS = 30 * 3_600_000;
const LONGEST_WORKOUT_MS = 7 * 86_400_000;
const HALF_DAY_MS = 12 * 3_600_000;

// Each takes one document and its path in its answer, ending in a dot or empty, and throws a Drift that names the path.

/** A night or a nap. Stages come as sums, without their times. */
export function sleepRecord(document: Document, at: string, read: ReadAt): SleepRecord {
  const { clues, session } = sessionOf(document, at, LONGEST_SLEEP_MS);
  const date = sleepDate(clues, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}end is no instant with an offset`);
  const dated = datedBy(date, 'sleep', { isOpen: isPending(document, at), read });
  const detail = sleepDetail(scoreOf(document, at), readFlag(document, 'nap', at), `${at}score.`);
  return { kind: 'sleep', ...session, ...dated, endUtcOffsetS: date.endUtcOffsetS, detail };
}

/** What of a night belongs to its day; nothing of a nap, or of one that has no score. */
export function nightRecords(document: Document, at: string, record: SleepRecord): DailyRecord[] {
  const score = scoreOf(document, at);
  if (score === undefined || record.detail.isNap) return [];
  const { kind, start, end, endUtcOffsetS, detail, ...dated } = record;
  const number = <U extends string>(field: string, unit: U) => readQuantity(score, field, unit, `${at}score.`);
  const path = (field: string) => `${at}score.${field}`;
  const asleep = detail.asleepS === null ? null : ({ value: detail.asleepS, unit: 's' } as const);
  return [
    ...dailyValue('sleep_duration', asleep, dated, path('stage_summary')),
    ...dailyValue('respiratory_rate_night', number('respiratory_rate', '/min'), dated, path('respiratory_rate')),
    ...dailyValue(
      'vendor.whoop.sleep_performance',
      number('sleep_performance_percentage', '{score}'),
      dated,
      path('sleep_performance_percentage'),
    ),
  ];
}

function sleepDetail(score: Document | undefined, isNap: boolean, at: string): SleepDetail {
  const summary = score === undefined ? undefined : readDocument(score['stage_summary'], `${at}stage_summary.`);
  const seconds = (stage: string) => {
    const quantity = summary === undefined ? null : readQuantity(summary, `total_${stage}_time_milli`, 'ms', `${at}stage_summary.`);
    if (quantity !== null && quantity.value < 0) throw new Drift(`${at}stage_summary.total_${stage}_time_milli is negative`);
    return quantity === null ? null : canonical({ unit: 's', decimals: 0 }, quantity);
  };
  const inBedS = seconds('in_bed');
  const lightS = seconds('light_sleep');
  const deepS = seconds('slow_wave_sleep');
  const remS = seconds('rem_sleep');
  const asleepS = lightS === null || deepS === null || remS === null ? null : lightS + deepS + remS;
  const rate = score === undefined ? null : readQuantity(score, 'respiratory_rate', '/min', at);
  return {
    isMain: !isNap,
    isNap,
    inBedS,
    asleepS,
    awakeS: seconds('awake'),
    lightS,
    deepS,
    remS,
    latencyS: null,
    efficiencyPct: inBedS !== null && inBedS > 0 && asleepS !== null ? roundTo((asleepS / inBedS) * 100, 1) : null,
    hrAvg: null,
    hrMin: null,
    hrvRmssd: null,
    respiratoryRate: rate === null ? null : canonical(dailyMetrics.respiratory_rate_night, rate),
    stages: [],
  };
}

/** The night that a recovery is of, and what we call the recovery. */
export interface NightClues {
  readonly sleep: SleepOfDay;
  readonly name: string;
  readonly read: ReadAt;
}

/** The values of a night, under the day of its sleep. Where WHOOP takes a score back, its values go. */
export function recoveryRecords(document: Document, at: string, { sleep, name, read }: NightClues): HealthRecord[] {
  const score = scoreOf(document, at);
  if (score === undefined) return isPending(document, at) ? [] : [{ kind: 'deleted', providerRecordId: name }];
  const dated: Dated = {
    providerRecordId: name,
    source: band,
    ...datedBy(sleep.date, 'recovery', { isOpen: false, read }),
    // A sleep whose end is mended moves its recovery, whose own time of change may stay.
    version: Math.max(readVersion(document, at), sleep.version),
    coverageEnd: sleep.endMs,
  };
  const number = <U extends string>(field: string, unit: U) => readQuantity(score, field, unit, `${at}score.`);
  const path = (field: string) => `${at}score.${field}`;
  return [
    ...dailyValue('resting_heart_rate', number('resting_heart_rate', '/min'), dated, path('resting_heart_rate')),
    ...dailyValue('hrv_rmssd_night', number('hrv_rmssd_milli', 'ms'), dated, path('hrv_rmssd_milli')),
    ...dailyValue('spo2_night_avg', number('spo2_percentage', '%'), dated, path('spo2_percentage')),
    ...dailyValue('skin_temperature_night', number('skin_temp_celsius', 'Cel'), dated, path('skin_temp_celsius')),
    ...dailyValue('vendor.whoop.recovery_score', number('recovery_score', '{score}'), dated, path('recovery_score')),
  ];
}

/**
 * A cycle runs from one falling asleep to the next and is no civil day: it counts for the day of waking. Without its sleep that day is
 * the one which twelve hours after the start belong to, since people fall asleep between noon and noon.
 */
export function cycleRecords(document: Document, at: string, sleep: SleepOfDay | undefined, read: ReadAt): HealthRecord[] {
  const name = `cycle/${readCycleId(document, 'id', at)}`;
  const start = readInstant(document, 'start', at);
  const utcOffsetS = readOffset(document, at);
  const score = scoreOf(document, at);
  if (score === undefined) return isPending(document, at) ? [] : [{ kind: 'deleted', providerRecordId: name }];
  const isOpen = readText(document, 'end', at) === undefined;
  // Its sleep is still being worked out, and the day is not guessed while it will be known.
  if (isOpen && sleep === undefined) return [];
  const clues = { label: undefined, labelShift: 0, at: start.ms + HALF_DAY_MS, offsetS: utcOffsetS, zone: undefined };
  const date = nightDate(sleep?.date, clues, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}start is no instant with an offset`);
  const dated: Dated = {
    providerRecordId: name,
    source: band,
    ...datedBy({ ...date, utcOffsetS }, 'cycle', { isOpen, read }),
    version: Math.max(readVersion(document, at), sleep?.version ?? 0),
    coverageEnd: isOpen ? undefined : readInstant(document, 'end', at).ms,
  };
  const number = <U extends string>(field: string, unit: U) => readQuantity(score, field, unit, `${at}score.`);
  const path = (field: string) => `${at}score.${field}`;
  return [
    ...dailyValue('total_energy', number('kilojoule', 'kJ'), dated, path('kilojoule')),
    ...dailyValue('heart_rate_avg', number('average_heart_rate', '/min'), dated, path('average_heart_rate')),
    ...dailyValue('heart_rate_max', number('max_heart_rate', '/min'), dated, path('max_heart_rate')),
    ...dailyValue('vendor.whoop.strain', number('strain', '{score}'), dated, path('strain')),
  ];
}

export function workoutRecords(document: Document, at: string, read: ReadAt): WorkoutRecord[] {
  const { clues, session } = sessionOf(document, at, LONGEST_WORKOUT_MS);
  const date = workoutDate(clues, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}start is no instant with an offset`);
  const providerSport = readText(document, 'sport_name', at) ?? 'unknown';
  const score = scoreOf(document, at);
  const number = <U extends string>(field: string, unit: U) => {
    const quantity = score === undefined ? null : readQuantity(score, field, unit, `${at}score.`);
    if (quantity !== null && quantity.value < 0) throw new Drift(`${at}score.${field} is negative`);
    return quantity;
  };
  const metres = (field: string) => rounded(number(field, 'm'), 1);
  const energy = number('kilojoule', 'kJ');
  return [
    {
      kind: 'workout',
      ...session,
      ...datedBy(date, 'workout', { isOpen: isPending(document, at), read }),
      endUtcOffsetS: date.endUtcOffsetS,
      detail: {
        ...sportOf('whoop', providerSport),
        providerSport,
        elapsedS: roundTo(date.durationS, 0),
        activeS: null,
        distanceM: metres('distance_meter'),
        elevationGainM: metres('altitude_gain_meter'),
        activeEnergyKcal: null,
        totalEnergyKcal: energy === null ? null : canonical(dailyMetrics.total_energy, energy),
        workKj: null,
        hrAvg: rounded(number('average_heart_rate', '/min'), 1),
        hrMax: rounded(number('max_heart_rate', '/min'), 1),
        hrZonesS: score === undefined ? null : zones(score, `${at}score.`),
        powerAvgW: null,
        cadenceAvg: null,
        steps: null,
        manual: false,
        hasRoute: false,
        hasStreams: false,
      },
    },
  ];
}

/** Zone zero, below all training, to zone five. */
function zones(score: Document, at: string): number[] | null {
  const given = score['zone_durations'] ?? score['zone_duration'];
  if (given === undefined || given === null) return null;
  const document = readDocument(given, `${at}zone_durations.`);
  const seconds = ['zero', 'one', 'two', 'three', 'four', 'five'].map((zone) => {
    const quantity = readQuantity(document, `zone_${zone}_milli`, 'ms', `${at}zone_durations.`);
    return quantity === null ? null : canonical({ unit: 's', decimals: 0 }, quantity);
  });
  return seconds.every((value) => value !== null) ? seconds : null;
}

export function bodyRecords(document: Document, at: string, read: ReadAt): MeasurementRecord[] {
  const field = (name: string) => ({ recordId: `body/${name}`, source: band, path: `${at}${name}`, read });
  return [
    ...profileValue('body_weight', readQuantity(document, 'weight_kilogram', 'kg', at), field('weight_kilogram')),
    ...profileValue('height', readQuantity(document, 'height_meter', 'm', at), field('height_meter')),
  ];
}

function rounded(quantity: { readonly value: number } | null, decimals: number): number | null {
  return quantity === null ? null : roundTo(quantity.value, decimals);
}

/** By WHOOP's word alone, since its versions are its own and would not rise because a day has closed. */
function datedBy(date: CivilDate, collection: string, { isOpen, read }: { isOpen: boolean; read: ReadAt }) {
  const providerSays = isOpen ? 'open' : 'final';
  return dateFields(date, providerDay('whoop', collection, []), { now: read.now, closes: 'at_once', providerSays });
}

/** Times are UTC; the offset is that of the start, the only one that WHOOP gives. */
function sessionOf(document: Document, at: string, longestMs: number) {
  const start = readInstant(document, 'start', at);
  const end = readInstant(document, 'end', at);
  if (end.ms < start.ms) throw new Drift(`${at}end is before start`);
  if (end.ms - start.ms > longestMs) throw new Drift(`${at}end is out of any possible range`);
  const offsetS = readOffset(document, at);
  return {
    clues: {
      label: undefined,
      labelShift: 0,
      start: start.ms,
      end: end.ms,
      startOffsetS: offsetS,
      endOffsetS: offsetS,
      zone: undefined,
    },
    session: {
      providerRecordId: readId(document, at),
      source: band,
      start: new Date(start.ms).toISOString(),
      end: new Date(end.ms).toISOString(),
      version: readVersion(document, at),
      coverageEnd: end.ms,
    },
  };
}

const scoreStates = ['PENDING_SCORE', 'SCORED', 'UNSCORABLE'];

function stateOf(document: Document, at: string): string {
  const state = readText(document, 'score_state', at) ?? '';
  if (!scoreStates.includes(state)) throw new Drift(`${at}score_state is none that we know`);
  return state;
}

/** WHOOP will change it and tell again. */
function isPending(document: Document, at: string): boolean {
  return stateOf(document, at) === 'PENDING_SCORE';
}

/** Undefined while there is none yet, and where there can be none. */
function scoreOf(document: Document, at: string): Document | undefined {
  return stateOf(document, at) === 'SCORED' ? readDocument(document['score'], `${at}score.`) : undefined;
}
