import type { CollectionFacts } from '../provider.js';

/** The one scope that there is. */
export const POLAR_SCOPE = 'accesslink.read_all';

/** Days that `from` and `to` may span at most, both inside. */
export const SPAN_DAYS = 28;

/**
 * What of Polar is read, in the words of its paths (`/v3/users/sleep` …; the two of its biosensing by names of ours). How far back it shows
 * things differs. Not read: the estimates of SleepWise; and temperatures over the day, whose times have no zone.
 */
export const polarCollections = {
  exercises: { scope: POLAR_SCOPE, byDays: true, holds: 'workout', horizonDays: 30, authoritative: true },
  activities: { scope: POLAR_SCOPE, byDays: true, holds: 'daily', horizonDays: 365, spanDays: SPAN_DAYS, authoritative: true },
  sleep: { scope: POLAR_SCOPE, byDays: true, holds: 'sleep', horizonDays: 28, spanDays: SPAN_DAYS, authoritative: true },
  'nightly-recharge': { scope: POLAR_SCOPE, byDays: true, holds: 'daily', horizonDays: 28, spanDays: SPAN_DAYS, authoritative: true },
  'continuous-heart-rate': { scope: POLAR_SCOPE, byDays: true, holds: 'series', spanDays: SPAN_DAYS },
  'skin-temperature': { scope: POLAR_SCOPE, byDays: true, holds: 'daily', spanDays: SPAN_DAYS },
  spo2: { scope: POLAR_SCOPE, byDays: true, holds: 'measurement', spanDays: SPAN_DAYS },
  // Only as it is now: there is no past to read.
  'physical-info': { scope: POLAR_SCOPE, byDays: true, holds: 'measurement', horizonDays: 1 },
} as const satisfies Record<string, CollectionFacts>;

export type PolarCollection = keyof typeof polarCollections;

export function isPolarCollection(name: string): name is PolarCollection {
  return Object.hasOwn(polarCollections, name);
}
