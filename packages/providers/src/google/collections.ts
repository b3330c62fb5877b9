import type { CollectionFacts } from '../provider.js';

const activity = 'https://www.googleapis.com/auth/googlehealth.activity_and_fitness.readonly';
const sleeping = 'https://www.googleapis.com/auth/googlehealth.sleep.readonly';
const measurements = 'https://www.googleapis.com/auth/googlehealth.health_metrics_and_measurements.readonly';

export const googleScopes = [activity, sleeping, measurements] as const;

interface GoogleCollectionFacts extends CollectionFacts {
  /** How its spans are told where a notification tells them both ways. */
  readonly spans: 'days' | 'instants';
}

const daily = (scope: string) => ({ scope, byDays: true, holds: 'daily', spans: 'days', authoritative: 'unless_empty' }) as const;
const session = { byDays: true, spans: 'instants', authoritative: 'unless_empty' } as const;

/**
 * What we read of Google Health, by its `dataType`. Daily totals by civil days, which also makes the many notifications of one day one
 * window; so too the heart rate, whose samples are kept by the whole day. Sessions and single measurements by instants. A type that is
 * not here is acknowledged and gives no notice.
 */
export const googleCollections = {
  steps: daily(activity),
  distance: daily(activity),
  floors: daily(activity),
  'total-calories': daily(activity),
  'active-minutes': daily(activity),
  'daily-resting-heart-rate': daily(measurements),
  'daily-heart-rate-variability': daily(measurements),
  'daily-oxygen-saturation': daily(measurements),
  'daily-respiratory-rate': daily(measurements),
  'heart-rate': { scope: measurements, byDays: true, holds: 'series', spans: 'days' },
  sleep: { ...session, scope: sleeping, holds: 'sleep' },
  exercise: { ...session, scope: activity, holds: 'workout' },
  weight: { ...session, scope: measurements, holds: 'measurement' },
  'body-fat': { ...session, scope: measurements, holds: 'measurement' },
  'blood-glucose': { ...session, scope: measurements, holds: 'measurement' },
} as const satisfies Record<string, GoogleCollectionFacts>;

export type GoogleCollection = keyof typeof googleCollections;

export function isGoogleCollection(name: string): name is GoogleCollection {
  return Object.hasOwn(googleCollections, name);
}
