import type { CollectionFacts } from '../provider.js';

/**
 * What we read of Oura, in the words of its webhooks; its other data types are acknowledged and give no notice. Not read, for want of a
 * metric: stress, resilience, cardiovascular age, sleep times, tags, meals, rest modes and sessions of the mind.
 */
export const ouraCollections = {
  daily_activity: { scope: 'daily', byDays: true, holds: 'daily', authoritative: true },
  sleep: { scope: 'daily', byDays: true, holds: 'sleep', authoritative: true },
  daily_sleep: { scope: 'daily', byDays: true, holds: 'daily', authoritative: true },
  daily_readiness: { scope: 'daily', byDays: true, holds: 'daily', authoritative: true },
  daily_spo2: { scope: 'spo2Daily', byDays: true, holds: 'daily', authoritative: true },
  vo2_max: { scope: 'daily', byDays: true, holds: 'daily', authoritative: true },
  workout: { scope: 'workout', byDays: true, holds: 'workout', authoritative: true },
  // Asked for by time, of which Oura gives 30 days at once; hundreds of samples a day come in many pages.
  heartrate: { scope: 'heartrate', byDays: true, holds: 'series', spanDays: 7 },
  // Only as it is now: there is no past to read.
  personal_info: { scope: 'personal', byDays: true, holds: 'measurement', horizonDays: 1 },
} as const satisfies Record<string, CollectionFacts>;

export type OuraCollection = keyof typeof ouraCollections;

/** Oura never tells of these: they are swept. */
const silentCollections: readonly OuraCollection[] = ['heartrate', 'personal_info'];

/** What webhooks can be asked for. */
export const announcedCollections: readonly OuraCollection[] = (Object.keys(ouraCollections) as OuraCollection[]).filter(
  (name) => !silentCollections.includes(name),
);

export function isOuraCollection(name: string): name is OuraCollection {
  return Object.hasOwn(ouraCollections, name);
}

/** What is read by its documents, which have ids and days. */
export type DocumentCollection = Exclude<OuraCollection, 'heartrate' | 'personal_info'>;

/** Where a collection is read; one is spelled in another way than in webhooks. */
export function pathOf(collection: OuraCollection): string {
  return collection === 'vo2_max' ? 'vO2_max' : collection;
}
