import {
  type DailyMetric,
  type DailyRecord,
  type Dated,
  type Quantity,
  type UnitFor,
  closesAt,
  type dailyMetrics,
} from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { dailyValue } from '../quantities.js';
import type { GoogleCollection } from './collections.js';
import { readCount, readDate, readObjects } from './fields.js';
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

/** Sums of a civil day, over all of a person's sources. */
const rollups = {
  steps: { member: 'steps', readers: [field('steps', 'countSum', '{steps}')] },
  distance: { member: 'distance', readers: [field('distance', 'millimetersSum', 'mm')] },
  floors: { member: 'floors', readers: [field('floors_climbed', 'countSum', '{flight}')] },
  'total-calories': { member: 'totalCalories', readers: [field('total_energy', 'kcalSum', 'kcal')] },
  'active-minutes': { member: 'activeMinutes', readers: [activeMinutes] },
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
} as const satisfies Partial<Record<GoogleCollection, DailyType>>;

export type RollupCollection = keyof typeof rollups;
type SummaryCollection = keyof typeof summaries;

/** One day of a roll-up. @param at path of the point, ending in a dot. @param now epoch milliseconds. @throws Drift */
export function rollupRecords(collection: RollupCollection, point: Document, at: string, now: number): DailyRecord[] {
  const { member, readers } = rollups[collection] as DailyType;
  const localDate = readDate(readDocument(point['civilStartTime'], `${at}civilStartTime.`), 'date', `${at}civilStartTime.`);
  // A day without a value: nothing was worn.
  if (point[member] === undefined || point[member] === null) return [];
  const dated = {
    providerRecordId: `${collection}/${localDate}`,
    source: merged,
    localDate,
    dateBasis: 'provider_date',
    dayModel: 'civil',
    utcOffsetS: undefined,
    provisional: now < closesAt(localDate, undefined, 0),
    version: undefined,
  } as const;
  return readAll(readers, { value: readDocument(point[member], `${at}${member}.`), at: `${at}${member}.`, dated });
}

/** One point of a daily type. @throws Drift */
export function summaryRecords(collection: SummaryCollection, point: Document, at: string, now: number): DailyRecord[] {
  const { member, readers } = summaries[collection] as DailyType;
  const value = readDocument(point[member], `${at}${member}.`);
  const localDate = readDate(value, 'date', `${at}${member}.`);
  const source = sourceOf(point, at);
  const dated = {
    providerRecordId: `${collection}/${localDate}/${source.id}`,
    source,
    localDate,
    dateBasis: 'provider_date',
    dayModel: collection === 'daily-resting-heart-rate' ? 'civil' : 'night',
    utcOffsetS: undefined,
    provisional: now < closesAt(localDate, undefined, 0),
    version: undefined,
  } as const;
  return readAll(readers, { value, at: `${at}${member}.`, dated });
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
