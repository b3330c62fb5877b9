import {
  type Dated,
  type MeasurementRecord,
  type SeriesRecord,
  type SportOf,
  type WorkoutRecord,
  type Source,
  canonical,
  dailyMetrics,
  isCivilDay,
  providerDay,
  rangeOf,
  roundTo,
  seriesMetrics,
  sportOf,
  workoutDate,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readInstant, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { profileValue, readQuantity } from '../quantities.js';
import { originOf } from './origin.js';

const LONGEST_WORKOUT_S = 7 * 86_400;
const SOURCE_ID = 'src_strava';
const profile: Source = { id: SOURCE_ID, type: 'app', manufacturer: 'Strava', model: undefined };

/** Strava counts the steps of one foot. */
const onTwoFeet: ReadonlySet<string> = new Set(['running', 'walking', 'hiking']);

// Each takes one document and its path in its answer, ending in a dot or empty, and throws a Drift that names the path.

export function activityRecords(document: Document, at: string, read: ReadAt): WorkoutRecord[] {
  const { startMs, elapsedS, endUtcOffsetS, dated } = frame(document, at, read);
  // `type` is the older field, with fewer words.
  const providerSport = readText(document, 'sport_type', at) ?? readText(document, 'type', at) ?? 'Workout';
  const sport = placed(sportOf('strava', providerSport), document['trainer'] === true);
  const calories = readQuantity(document, 'calories', 'kcal', at);
  const heartRate = (field: string) => (hasHeartRate(document) ? measured(document, field, at, 1) : null);
  const cadence = measured(document, 'average_cadence', at, 2);
  const manual = document['manual'] === true;
  return [
    {
      kind: 'workout',
      ...dated,
      start: new Date(startMs).toISOString(),
      end: new Date(startMs + elapsedS * 1000).toISOString(),
      endUtcOffsetS,
      detail: {
        ...sport,
        providerSport,
        elapsedS,
        activeS: measured(document, 'moving_time', at, 0),
        distanceM: measured(document, 'distance', at, 1),
        elevationGainM: measured(document, 'total_elevation_gain', at, 1),
        activeEnergyKcal: null,
        // 0 is how Strava writes that it has no estimate.
        totalEnergyKcal: calories === null || calories.value === 0 ? null : canonical(dailyMetrics.total_energy, calories),
        // `kilojoules` is work at the pedals, about a quarter of what the body burns for it.
        workKj: measured(document, 'kilojoules', at, 1),
        hrAvg: heartRate('average_heartrate'),
        hrMax: heartRate('max_heartrate'),
        hrZonesS: null,
        // Without a meter the watts are guessed from speed and slope.
        powerAvgW: document['device_watts'] === true ? measured(document, 'average_watts', at, 1) : null,
        cadenceAvg: cadence === null ? null : roundTo(onTwoFeet.has(sport.sport) ? cadence * 2 : cadence, 1),
        steps: null,
        manual,
        hasRoute: isWay(document),
        hasStreams: !manual,
      },
    },
  ];
}

/**
 * The samples of one activity. What lies outside of any heart is a strap that slipped, and left out like what was not measured: the rest
 * of the activity is none the worse for it.
 * @param streams as answered with `key_by_type`.
 */
export function heartRateRecords(activity: Document, streams: Document, read: ReadAt): SeriesRecord[] {
  const times = readStream(streams, 'time');
  const rates = readStream(streams, 'heartrate');
  if (times === undefined || rates === undefined) return [];
  if (times.length !== rates.length) throw new Drift('heartrate.data is not of the length of time.data');
  const offsetsS: number[] = [];
  const values: number[] = [];
  for (const [n, rate] of rates.entries()) {
    const time = times[n];
    if (typeof time !== 'number' || !Number.isInteger(time) || time < 0) throw new Drift(`time.data[${n}] is no whole number`);
    if (rate === null) continue;
    if (typeof rate !== 'number') throw new Drift(`heartrate.data[${n}] is no number`);
    if (rangeOf(seriesMetrics.heart_rate, rate) === 'impossible' || time <= (offsetsS.at(-1) ?? -1)) continue;
    offsetsS.push(time);
    values.push(roundTo(rate, seriesMetrics.heart_rate.decimals));
  }
  if (values.length === 0) return [];
  const { startMs, dated } = frame(activity, '', read);
  const from = new Date(startMs).toISOString();
  return [
    {
      kind: 'series',
      ...dated,
      coverageEnd: startMs + (offsetsS.at(-1) ?? 0) * 1000,
      metric: 'heart_rate',
      workoutId: dated.providerRecordId,
      samples: { from, offsetsS, values, intervalS: undefined },
    },
  ];
}

export function athleteRecords(document: Document, at: string, read: ReadAt): MeasurementRecord[] {
  const weight = readQuantity(document, 'weight', 'kg', at);
  // 0 is a weight that was never entered.
  if (weight?.value === 0) return [];
  return profileValue('body_weight', weight, { recordId: 'athlete/weight', source: profile, path: `${at}weight`, read });
}

export function hasHeartRate(document: Document): boolean {
  return document['has_heartrate'] === true;
}

/** Digits, all of them. */
export function readActivityId(document: Document, at: string): string {
  const id = document['id'];
  if (!Number.isSafeInteger(id) && typeof id !== 'bigint') throw new Drift(`${at}id is no whole number`);
  return String(id);
}

/** `start_date_local` is wall time with a false `Z`: read as an instant it would be shifted twice, so its first ten characters are taken. */
export function readLocalDay(document: Document, at: string): string {
  const text = readText(document, 'start_date_local', at) ?? '';
  const day = text.slice(0, 10);
  if (!isCivilDay(day) || text[10] !== 'T') throw new Drift(`${at}start_date_local begins with no civil day`);
  return day;
}

interface Frame {
  readonly startMs: number;
  readonly elapsedS: number;
  readonly endUtcOffsetS: number | undefined;
  readonly dated: Dated;
}

function frame(document: Document, at: string, read: ReadAt): Frame {
  const { ms: startMs } = readInstant(document, 'start_date', at);
  const elapsedS = measured(document, 'elapsed_time', at, 0) ?? 0;
  if (elapsedS > LONGEST_WORKOUT_S) throw new Drift(`${at}elapsed_time is out of any possible range`);
  const end = startMs + elapsedS * 1000;
  // Of that moment. The offset in `timezone` is that of winter.
  const offset = readNumber(document, 'utc_offset', at);
  const startOffsetS = offset === null ? undefined : Math.round(offset);
  const label = readLocalDay(document, at);
  const clues = { label, labelShift: 0, start: startMs, end, startOffsetS, endOffsetS: undefined, zone: zoneOf(document, at) };
  const date = workoutDate(clues, read.whereabouts);
  if (date === undefined) throw new Drift(`${at}start_date is no instant with an offset`);
  return {
    startMs,
    elapsedS,
    endUtcOffsetS: date.endUtcOffsetS,
    dated: {
      providerRecordId: readActivityId(document, at),
      source: { ...profile, model: readText(document, 'device_name', at) || undefined, originProvider: originOf(document, at) },
      ...dateFields(date, providerDay('strava', 'activity', []), { now: read.now, closes: 'at_once' }),
      // Nothing in an activity says when it was changed.
      version: undefined,
      coverageEnd: end,
    },
  };
}

/** `(GMT+01:00) Europe/Prague`: of the record, and not of a profile. What zone data do not know is passed over further on. */
function zoneOf(document: Document, at: string): string | undefined {
  return /^\(GMT[+-]\d\d:\d\d\) (\S+)$/.exec(readText(document, 'timezone', at) ?? '')?.[1];
}

/** On a trainer and on a treadmill Strava keeps the word for the open air. */
function placed(sport: SportOf, trainer: boolean): SportOf {
  if (!trainer || sport.environment !== null) return sport;
  const subSport = sport.subSport ?? (sport.sport === 'running' ? 'treadmill' : sport.sport === 'cycling' ? 'indoor' : null);
  return { ...sport, subSport, environment: 'indoor' };
}

function isWay(document: Document): boolean {
  const map = document['map'];
  const line = typeof map === 'object' && map !== null ? (map as Document)['summary_polyline'] : undefined;
  const start = document['start_latlng'];
  return (typeof line === 'string' && line !== '') || (Array.isArray(start) && start.length > 0);
}

function measured(document: Document, field: string, at: string, decimals: number): number | null {
  const value = readNumber(document, field, at);
  if (value === null) return null;
  if (value < 0) throw new Drift(`${at}${field} is negative`);
  return roundTo(value, decimals);
}

function readStream(streams: Document, name: string): readonly unknown[] | undefined {
  if (streams[name] === undefined || streams[name] === null) return undefined;
  const data: unknown = readDocument(streams[name], `${name}.`)['data'];
  if (!Array.isArray(data)) throw new Drift(`${name}.data is no list`);
  return data as unknown[];
}
