import {
  type DailyMetric,
  type DailyRecord,
  type Dated,
  type Quantity,
  type Source,
  type UnitFor,
  civilDate,
  type dailyMetrics,
  providerDay,
} from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import { dailyValue } from '../quantities.js';
import type { GoogleCollection } from './collections.js';
import { readCount, readDate, readDuration, readObjects } from './fields.js';
import { merged, sourceOf } from './source.js';

type Place = { readonly value: Document; readonly at: string; readonly dated: Dated };
type Reader = (place: Place) => DailyRecord[];
type UnitsOf<M extends DailyMetric> = UnitFor<(typeof dailyMetrics)[M]['unit']>;

/** A field of a metric, with the unit that Google gives it in. */
function field<M extends DailyMetric>(metric: M, name: string, unit: UnitsOf<M>): Reader {
  return ({ value, at, dated }) => {
    const count = readCount(value, name, at);
    const quantity: Quantity<UnitsOf<M>> | null = count === null ? null : { value: count, unit };
    return dailyValue(metric, quantity, dated, `${at}${name}`);
  };
}

interface DailyType {
  /** Where in a point its value stands. */
  readonly member: string;
  readonly readers: readonly Reader[];
}

/** Sums of a civil day, over all of a person's sources; of the heart rate what it was at most, at least and in the mean. */
const rollups = {
  steps: { member: 'steps', readers: [field('steps', 'countSum', '{steps}')] },
  distance: { member: 'distance', readers: [field('distance', 'millimetersSum', 'mm')] },
  floors: { member: 'floors', readers: [field('floors_climbed', 'countSum', '{flight}')] },
  altitude: { member: 'altitude', readers: [field('elevation_gain', 'gainMillimetersSum', 'mm')] },
  'total-calories': { member: 'totalCalories', readers: [field('total_energy', 'kcalSum', 'kcal')] },
  'active-energy-burned': { member: 'activeEnergyBurned', readers: [field('active_energy', 'kcalSum', 'kcal')] },
  'active-minutes': { member: 'activeMinutes', readers: [activeMinutes] },
  'active-zone-minutes': { member: 'activeZoneMinutes', readers: [zoneMinutes] },
  'sedentary-period': { member: 'sedentaryPeriod', readers: [sedentary] },
  'heart-rate': {
    member: 'heartRate',
    readers: [
      field('heart_rate_avg', 'beatsPerMinuteAvg', '/min'),
      field('heart_rate_min', 'beatsPerMinuteMin', '/min'),
      field('heart_rate_max', 'beatsPerMinuteMax', '/min'),
    ],
  },
} as const satisfies Partial<Record<GoogleCollection, DailyType>>;

/** Values that Google itself files under a day, of each source by itself. */
const summaries = {
  'daily-resting-heart-rate': { member: 'dailyRestingHeartRate', readers: [field('resting_heart_rate', 'beatsPerMinute', '/min')] },
  'daily-heart-rate-variability': {
    member: 'dailyHeartRateVariability',
    readers: [field('hrv_rmssd_night', 'averageHeartRateVariabilityMilliseconds', 'ms')],
  },
  'daily-oxygen-saturation': {
    member: 'dailyOxygenSaturation',
    readers: [field('spo2_night_avg', 'averagePercentage', '%'), field('spo2_night_min', 'lowerBoundPercentage', '%')],
  },
  'daily-respiratory-rate': { member: 'dailyRespiratoryRate', readers: [field('respiratory_rate_night', 'breathsPerMinute', '/min')] },
  'daily-sleep-temperature-derivations': {
    member: 'dailySleepTemperatureDerivations',
    readers: [field('skin_temperature_night', 'nightlyTemperatureCelsius', 'Cel'), deviation],
  },
  'daily-vo2-max': { member: 'dailyVo2Max', readers: [field('vo2max_estimate', 'vo2Max', 'mL/min/kg')] },
} as const satisfies Partial<Record<GoogleCollection, DailyType>>;

export type RollupCollection = keyof typeof rollups;
export type SummaryCollection = keyof typeof summaries;

export function isRollup(collection: GoogleCollection): collection is RollupCollection {
  return Object.hasOwn(rollups, collection);
}

export function isSummary(collection: GoogleCollection): collection is SummaryCollection {
  return Object.hasOwn(summaries, collection);
}

/** One day of a roll-up. @param at path of the point, ending in a dot. @throws Drift */
export function rollupRecords(collection: RollupCollection, value: unknown, at: string, read: ReadAt): DailyRecord[] {
  const point = readDocument(value, at);
  const { member, readers } = rollups[collection] as DailyType;
  const label = readDate(readDocument(point['civilStartTime'], `${at}civilStartTime.`), 'date', `${at}civilStartTime.`);
  // A day without a value: nothing was worn.
  if (point[member] === undefined || point[member] === null) return [];
  const dated = ofDay(collection, label, merged, read);
  return readAll(readers, { value: readDocument(point[member], `${at}${member}.`), at: `${at}${member}.`, dated });
}

/** One point of a daily type. @throws Drift */
export function summaryRecords(collection: SummaryCollection, point: unknown, at: string, read: ReadAt): DailyRecord[] {
  const document = readDocument(point, at);
  const { member, readers } = summaries[collection] as DailyType;
  const value = readDocument(document[member], `${at}${member}.`);
  const label = readDate(value, 'date', `${at}${member}.`);
  const source = sourceOf(document, at);
  const dated = ofDay(collection, label, source, read);
  return readAll(readers, { value, at: `${at}${member}.`, dated: { ...dated, providerRecordId: `${collection}/${label}/${source.id}` } });
}

/** What has a day and no instant. @throws Drift */
export function ofDay(collection: GoogleCollection, label: string, source: Source, { now, whereabouts }: ReadAt): Dated {
  const day = providerDay('google', collection, []);
  const date = civilDate({ label, labelShift: day.labelShift, at: undefined, offsetS: undefined, zone: undefined }, whereabouts);
  if (date === undefined) throw new Drift(`${collection} is of no civil day`);
  return { ...dateFields(date, day, { now }), providerRecordId: `${collection}/${label}`, source, version: undefined };
}

function readAll(readers: readonly Reader[], place: Place): DailyRecord[] {
  return readers.flatMap((read) => read(place));
}

const levels = {
  LIGHT: 'light_activity_duration',
  MODERATE: 'moderate_activity_duration',
  VIGOROUS: 'vigorous_activity_duration',
} as const;

/** Minutes by level; their sum is the time active. A level that is not there was not reached, if any other was. */
function activeMinutes({ value, at, dated }: Place): DailyRecord[] {
  const name = 'activeMinutesRollupByActivityLevel';
  let sum: number | null = null;
  const records = readObjects(value, name, at).flatMap((entry, index): DailyRecord[] => {
    const path = `${at}${name}[${index}].`;
    const level = readText(entry, 'activityLevel', path) ?? '';
    const minutes = readCount(entry, 'activeMinutesSum', path);
    if (minutes === null || !isLevel(level)) return [];
    sum = (sum ?? 0) + minutes;
    return dailyValue(levels[level], { value: minutes, unit: 'min' }, dated, `${path}activeMinutesSum`);
  });
  const total: Quantity<'min'> | null = sum === null ? null : { value: sum, unit: 'min' };
  return [...records, ...dailyValue('active_duration', total, dated, `${at}${name}`)];
}

function isLevel(name: string): name is keyof typeof levels {
  return Object.hasOwn(levels, name);
}

/** Google counts them by zone; together they are what its app shows. */
function zoneMinutes({ value, at, dated }: Place): DailyRecord[] {
  const zones = ['sumInFatBurnHeartZone', 'sumInCardioHeartZone', 'sumInPeakHeartZone'].map((name) => readCount(value, name, at));
  const reached = zones.filter((minutes) => minutes !== null);
  const score = reached.length === 0 ? null : ({ value: reached.reduce((sum, minutes) => sum + minutes, 0), unit: '{score}' } as const);
  return dailyValue('vendor.google.active_zone_minutes', score, dated, `${at}sumInFatBurnHeartZone`);
}

function sedentary({ value, at, dated }: Place): DailyRecord[] {
  const seconds = readDuration(value, 'durationSum', at);
  return dailyValue('sedentary_duration', seconds === undefined ? null : { value: seconds, unit: 's' }, dated, `${at}durationSum`);
}

/** From the person's own baseline: a difference, which has no zero of its own. */
function deviation({ value, at, dated }: Place): DailyRecord[] {
  const [night, baseline] = ['nightlyTemperatureCelsius', 'baselineTemperatureCelsius'].map((name) => readCount(value, name, at));
  const quantity: Quantity<'K'> | null =
    typeof night === 'number' && typeof baseline === 'number' ? { value: night - baseline, unit: 'K' } : null;
  return dailyValue('skin_temperature_deviation', quantity, dated, `${at}baselineTemperatureCelsius`);
}
