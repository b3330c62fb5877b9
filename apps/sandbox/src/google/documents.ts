import { z } from 'zod';

const activity = 'https://www.googleapis.com/auth/googlehealth.activity_and_fitness.readonly';
const sleeping = 'https://www.googleapis.com/auth/googlehealth.sleep.readonly';
const measurements = 'https://www.googleapis.com/auth/googlehealth.health_metrics_and_measurements.readonly';

const nutrition = 'https://www.googleapis.com/auth/googlehealth.nutrition.readonly';

export const googleScopes = [activity, sleeping, measurements, nutrition] as const;

/** How a type of data is filed and asked for. */
interface TypeRules {
  readonly scope: string;
  /** Where in a point its value stands. */
  readonly member: string;
  /** `rollup`: one document for each civil day, which is its id, and no list. The others are listed, by the member that a filter must name. */
  readonly kind: 'rollup' | 'date' | 'sample' | 'interval' | 'sleep' | 'exercise';
  /** Longest civil range of a roll-up. */
  readonly maxDays: number;
}

const rollup = (member: string, maxDays = 90): TypeRules => ({ scope: activity, member, kind: 'rollup', maxDays });
const listed = (scope: string, member: string, kind: TypeRules['kind']): TypeRules => ({ scope, member, kind, maxDays: 0 });

/** Types of which both the days and the points are shown: the second of each is kept as a collection of its own. */
export const pointsOf: Readonly<Record<string, string>> = { steps: 'steps-points' };
export const daysOf: Readonly<Record<string, string>> = { 'heart-rate': 'heart-rate-days' };

/** How a collection is called in the API. */
export function typeName(collection: string): string {
  const pair = [...Object.entries(pointsOf), ...Object.entries(daysOf)].find(([, kept]) => kept === collection);
  return pair?.[0] ?? collection;
}

export const types: Readonly<Record<string, TypeRules>> = {
  steps: rollup('steps'),
  distance: rollup('distance'),
  floors: rollup('floors'),
  'total-calories': rollup('totalCalories', 14),
  'active-minutes': rollup('activeMinutes', 14),
  altitude: rollup('altitude'),
  'active-energy-burned': rollup('activeEnergyBurned'),
  'active-zone-minutes': rollup('activeZoneMinutes'),
  'sedentary-period': rollup('sedentaryPeriod'),
  'heart-rate-days': { ...rollup('heartRate', 14), scope: measurements },
  'steps-points': listed(activity, 'steps', 'interval'),
  'basal-energy-burned': listed(activity, 'basalEnergyBurned', 'interval'),
  'daily-vo2-max': listed(activity, 'dailyVo2Max', 'date'),
  'daily-sleep-temperature-derivations': listed(measurements, 'dailySleepTemperatureDerivations', 'date'),
  'daily-resting-heart-rate': listed(measurements, 'dailyRestingHeartRate', 'date'),
  'daily-heart-rate-variability': listed(measurements, 'dailyHeartRateVariability', 'date'),
  'daily-oxygen-saturation': listed(measurements, 'dailyOxygenSaturation', 'date'),
  'daily-respiratory-rate': listed(measurements, 'dailyRespiratoryRate', 'date'),
  'heart-rate': listed(measurements, 'heartRate', 'sample'),
  weight: listed(measurements, 'weight', 'sample'),
  'body-fat': listed(measurements, 'bodyFat', 'sample'),
  'blood-glucose': listed(measurements, 'bloodGlucose', 'sample'),
  height: listed(measurements, 'height', 'sample'),
  'core-body-temperature': listed(measurements, 'coreBodyTemperature', 'sample'),
  'heart-rate-variability': listed(measurements, 'heartRateVariability', 'sample'),
  'oxygen-saturation': listed(measurements, 'oxygenSaturation', 'sample'),
  'hydration-log': listed(nutrition, 'hydrationLog', 'exercise'),
  sleep: listed(sleeping, 'sleep', 'sleep'),
  exercise: listed(activity, 'exercise', 'exercise'),
};

export const typeNames = Object.keys(types) as [string, ...string[]];

/** What a filter must name, after the type. */
export const filterMembers: Readonly<Record<TypeRules['kind'], string>> = {
  rollup: '',
  date: 'date',
  sample: 'sample_time.physical_time',
  interval: 'interval.start_time',
  sleep: 'interval.end_time',
  exercise: 'interval.civil_start_time',
};

export interface GooglePoint {
  /** What a filter compares with: an instant, a civil time or a day. */
  readonly key: string;
  /** The span that a notification tells, RFC 3339 UTC. */
  readonly span: { readonly startTime: string; readonly endTime: string };
  /** As it is answered. */
  readonly point: Readonly<Record<string, unknown>>;
}

const instant = z.iso.datetime({ offset: true });
const offset = z.string().regex(/^-?\d+s$/, 'expected seconds with an s');
const shapes = {
  rollup: z.looseObject({}),
  date: z.looseObject({}),
  sample: z.looseObject({ sampleTime: z.looseObject({ physicalTime: instant, utcOffset: offset }) }),
  sleep: z.looseObject({ interval: z.looseObject({ startTime: instant, endTime: instant, startUtcOffset: offset, endUtcOffset: offset }) }),
} as const;

export interface Origin {
  readonly collection: string;
  readonly id: string;
  readonly subjectId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Makes a whole point of the value that a caller gave, in Google's fields. `dataSource` stands beside them and is a tracker's unless given;
 * `updateTime` of sessions is now unless given; the day of types that have one is how the id begins.
 * @throws z.ZodError when a field is not of Google's shape.
 */
export function wholePoint({ collection, id, subjectId, now }: Origin, given: Readonly<Record<string, unknown>>): GooglePoint {
  const { member, kind } = types[collection] as TypeRules;
  const { dataSource = { platform: 'FITBIT', device: { displayName: 'Charge 6' } }, ...fields } = given;
  const named = { name: `users/${subjectId}/dataTypes/${typeName(collection)}/dataPoints/${id}`, dataSource };
  if (kind === 'rollup' || kind === 'date') {
    const day = z.iso.date({ error: 'expected an id that begins with a day' }).parse(id.slice(0, 10));
    const span = { startTime: `${day}T00:00:00Z`, endTime: `${dayAfter(day)}T00:00:00Z` };
    const value = kind === 'date' ? { date: civil(day), ...fields } : fields;
    const point = kind === 'date' ? { dataSource, [member]: value } : { ...rolledTimes(day), [member]: value };
    return { key: day, span, point };
  }
  if (kind === 'sample') {
    const { sampleTime } = shapes.sample.parse(fields);
    const time = new Date(sampleTime.physicalTime).toISOString();
    return { key: time, span: { startTime: time, endTime: time }, point: { ...named, [member]: fields } };
  }
  const { interval } = shapes.sleep.parse(fields);
  const wallClock = new Date(Date.parse(interval.startTime) + Number(interval.startUtcOffset.slice(0, -1)) * 1000)
    .toISOString()
    .slice(0, 19);
  if (kind === 'interval') {
    return {
      key: new Date(interval.startTime).toISOString(),
      span: { startTime: interval.startTime, endTime: interval.endTime },
      point: { ...named, [member]: fields },
    };
  }
  return {
    key: kind === 'sleep' ? new Date(interval.endTime).toISOString() : wallClock,
    span: { startTime: interval.startTime, endTime: interval.endTime },
    point: { ...named, [member]: { updateTime: new Date(now).toISOString(), ...fields } },
  };
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** `{year, month, day}` */
export function civil(day: string): { year: number; month: number; day: number } {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return { year, month, day: date };
}

function rolledTimes(day: string) {
  return { civilStartTime: { date: civil(day), time: {} }, civilEndTime: { date: civil(dayAfter(day)), time: {} } };
}
