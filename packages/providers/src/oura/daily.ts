import { type DailyRecord, type Dated, civilDate, endOfDay, offsetOfText, providerDay } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readId, readText } from '../document-fields.js';
import { dailyValue, readQuantity } from '../quantities.js';
import { readDay, ring } from './documents.js';

const DAY_S = 86_400;

// Each takes one document and its path in its answer, ending in a dot or empty, and throws a Drift that names the path.

/** The activity day runs from 04:00 to 04:00. What is not measured is left out; what is the difference of two is made of both or not at all. */
export function activityRecords(value: unknown, at: string, read: ReadAt): DailyRecord[] {
  const document = readDocument(value, at);
  // The time at which the day begins, so its offset is the person's.
  const offsetS = offsetOfText(readText(document, 'timestamp', at) ?? '');
  const dated = datedDay(document, at, { collection: 'daily_activity', offsetS, read });
  const number = <U extends string>(field: string, unit: U) => readQuantity(document, field, unit, at);
  const path = (field: string) => at + field;
  const [low, medium, high] = (['low', 'medium', 'high'] as const).map((level) => number(`${level}_activity_time`, 's'));
  const active = number('active_calories', 'kcal');
  const total = number('total_calories', 'kcal');
  const basal =
    active === null || total === null || total.value < active.value ? null : ({ value: total.value - active.value, unit: 'kcal' } as const);
  const moved = !low || !medium || !high ? null : ({ value: low.value + medium.value + high.value, unit: 's' } as const);
  const more = { ...dated, coverageEnd: coverageEnd(document), coverage: coverage(document, dated, read) };
  return [
    ...dailyValue('steps', number('steps', '{steps}'), more, path('steps')),
    ...dailyValue('active_energy', active, more, path('active_calories')),
    ...dailyValue('total_energy', total, more, path('total_calories')),
    ...dailyValue('basal_energy', basal, more, path('total_calories')),
    ...dailyValue('distance', number('equivalent_walking_distance', 'm'), more, path('equivalent_walking_distance')),
    ...dailyValue('active_duration', moved, more, path('low_activity_time')),
    ...dailyValue('light_activity_duration', low ?? null, more, path('low_activity_time')),
    ...dailyValue('moderate_activity_duration', medium ?? null, more, path('medium_activity_time')),
    ...dailyValue('vigorous_activity_duration', high ?? null, more, path('high_activity_time')),
    ...dailyValue('sedentary_duration', number('sedentary_time', 's'), more, path('sedentary_time')),
    ...dailyValue('vendor.oura.activity_score', number('score', '{score}'), more, path('score')),
  ];
}

export function readinessRecords(value: unknown, at: string, read: ReadAt): DailyRecord[] {
  const document = readDocument(value, at);
  const dated = datedDay(document, at, { collection: 'daily_readiness', offsetS: undefined, read });
  const deviation = readQuantity(document, 'temperature_deviation', 'K', at);
  return [
    ...dailyValue('skin_temperature_deviation', deviation, dated, `${at}temperature_deviation`),
    ...dailyValue('vendor.oura.readiness_score', readQuantity(document, 'score', '{score}', at), dated, `${at}score`),
  ];
}

export function sleepScoreRecords(value: unknown, at: string, read: ReadAt): DailyRecord[] {
  const document = readDocument(value, at);
  const dated = datedDay(document, at, { collection: 'daily_sleep', offsetS: undefined, read });
  return dailyValue('vendor.oura.sleep_score', readQuantity(document, 'score', '{score}', at), dated, `${at}score`);
}

export function spo2Records(value: unknown, at: string, read: ReadAt): DailyRecord[] {
  const document = readDocument(value, at);
  const dated = datedDay(document, at, { collection: 'daily_spo2', offsetS: undefined, read });
  const given = document['spo2_percentage'];
  if (given === undefined || given === null) return [];
  const path = `${at}spo2_percentage.`;
  const average = readQuantity(readDocument(given, path), 'average', '%', path);
  // 0 is a night in which it was not measured.
  return dailyValue('spo2_night_avg', average?.value === 0 ? null : average, dated, `${path}average`);
}

export function vo2MaxRecords(value: unknown, at: string, read: ReadAt): DailyRecord[] {
  const document = readDocument(value, at);
  const dated = datedDay(document, at, { collection: 'vo2_max', offsetS: undefined, read });
  return dailyValue('vo2max_estimate', readQuantity(document, 'vo2_max', 'mL/min/kg', at), dated, `${at}vo2_max`);
}

interface DayClues {
  readonly collection: string;
  readonly offsetS: number | undefined;
  readonly read: ReadAt;
}

/** Oura writes the `timestamp` of what it works out of a night in UTC, so of those only the day is taken. */
function datedDay(document: Document, at: string, { collection, offsetS, read }: DayClues): Dated {
  const day = providerDay('oura', collection, []);
  const label = readDay(document, at);
  const date = civilDate({ label, labelShift: day.labelShift, at: undefined, offsetS, zone: undefined }, read.whereabouts);
  if (date === undefined) throw new TypeError('a label is a date');
  return { providerRecordId: readId(document, at), source: ring, version: undefined, ...dateFields(date, day, { now: read.now }) };
}

/** End of the last minute of which something is known. A help for order only: of another shape it is not known. */
function coverageEnd(document: Document): number | undefined {
  const met = document['met'];
  if (typeof met !== 'object' || met === null) return undefined;
  const { timestamp, interval, items } = met as Document;
  const from = typeof timestamp === 'string' && offsetOfText(timestamp) !== undefined ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(from) || typeof interval !== 'number' || !Array.isArray(items)) return undefined;
  const measured = items.findLastIndex((item) => item !== null) + 1;
  return measured === 0 ? undefined : from + measured * interval * 1000;
}

/** Part of the day that the ring was worn; of a day that runs, nothing is said. */
function coverage(document: Document, { localDate, utcOffsetS }: Dated, { now }: ReadAt): number | undefined {
  const missing = document['non_wear_time'];
  if (typeof missing !== 'number' || missing < 0 || missing > DAY_S) return undefined;
  const { startsAtH } = providerDay('oura', 'daily_activity', []);
  return utcOffsetS === undefined || now < endOfDay(localDate, utcOffsetS) + startsAtH * 3_600_000 ? undefined : 1 - missing / DAY_S;
}

/** When the day of an activity document begins, and at what offset from UTC the person was; undefined when it does not say. */
export function dayStart(value: unknown, at: string): { readonly ms: number; readonly offsetS: number } | undefined {
  const text = readText(readDocument(value, at), 'timestamp', at) ?? '';
  const offsetS = offsetOfText(text);
  const ms = Date.parse(text);
  return offsetS === undefined || Number.isNaN(ms) ? undefined : { ms, offsetS };
}
