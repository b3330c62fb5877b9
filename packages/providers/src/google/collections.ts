import type { CollectionFacts } from '../provider.js';

const activity = 'https://www.googleapis.com/auth/googlehealth.activity_and_fitness.readonly';
const sleeping = 'https://www.googleapis.com/auth/googlehealth.sleep.readonly';
const measurements = 'https://www.googleapis.com/auth/googlehealth.health_metrics_and_measurements.readonly';
const nutrition = 'https://www.googleapis.com/auth/googlehealth.nutrition.readonly';

export const googleScopes = [activity, sleeping, measurements, nutrition] as const;

interface GoogleCollectionFacts extends CollectionFacts {
  /** How its spans are told where a notification tells them both ways. */
  readonly spans: 'days' | 'instants';
}

const daily = (scope: string) => ({ scope, byDays: true, holds: 'daily', spans: 'days', authoritative: 'unless_empty' }) as const;
const session = { byDays: true, spans: 'instants', authoritative: 'unless_empty' } as const;
/** Thousands of samples a day: a week is what one read can page through. */
const series = { scope: measurements, byDays: true, holds: 'series', spans: 'days', spanDays: 7 } as const;

/**
 * What we read of Google Health, by its `dataType`. Daily totals by civil days, which also makes the many notifications of one day one
 * window; so too the heart rate, whose samples are kept by the whole day. Sessions and single measurements by instants. A type that is
 * not here is acknowledged and gives no notice.
 */
export const googleCollections = {
  steps: daily(activity),
  distance: daily(activity),
  floors: daily(activity),
  altitude: daily(activity),
  'total-calories': daily(activity),
  'active-energy-burned': daily(activity),
  'basal-energy-burned': daily(activity),
  'active-minutes': daily(activity),
  'active-zone-minutes': daily(activity),
  'sedentary-period': daily(activity),
  'daily-vo2-max': daily(activity),
  'daily-resting-heart-rate': daily(measurements),
  'daily-heart-rate-variability': daily(measurements),
  'daily-oxygen-saturation': daily(measurements),
  'daily-respiratory-rate': daily(measurements),
  'daily-sleep-temperature-derivations': daily(measurements),
  'heart-rate': series,
  'heart-rate-variability': series,
  'oxygen-saturation': series,
  sleep: { ...session, scope: sleeping, holds: 'sleep' },
  exercise: { ...session, scope: activity, holds: 'workout' },
  weight: { ...session, scope: measurements, holds: 'measurement' },
  height: { ...session, scope: measurements, holds: 'measurement' },
  'body-fat': { ...session, scope: measurements, holds: 'measurement' },
  'blood-glucose': { ...session, scope: measurements, holds: 'measurement' },
  'core-body-temperature': { ...session, scope: measurements, holds: 'measurement' },
  'hydration-log': { ...session, scope: nutrition, holds: 'measurement' },
} as const satisfies Record<string, GoogleCollectionFacts>;

export type GoogleCollection = keyof typeof googleCollections;

export function isGoogleCollection(name: string): name is GoogleCollection {
  return Object.hasOwn(googleCollections, name);
}

/** Types that Google tells of and that are the parts of a day's value, which it does not tell of by itself. */
const partsOf: Readonly<Record<string, GoogleCollection>> = {
  'run-vo2-max': 'daily-vo2-max',
  'respiratory-rate-sleep-summary': 'daily-respiratory-rate',
};

/** What a notification of a type makes doubtful; undefined: nothing that we read. */
export function toldCollection(dataType: string): GoogleCollection | undefined {
  if (isGoogleCollection(dataType)) return dataType;
  return Object.hasOwn(partsOf, dataType) ? partsOf[dataType] : undefined;
}
