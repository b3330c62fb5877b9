import type { CollectionFacts } from '../provider.js';

/** What we read of Strava; activities in the word of its `object_type`. It has no sleep and no daily totals, and never tells of a weight. */
export const stravaCollections = {
  // Each activity costs two calls of the hundred that an app has for a quarter of an hour, so few days are read at once.
  activity: { scope: 'activity:read', byDays: true, holds: 'workout', spanDays: 7 },
  // Only as it is now: there is no past to read.
  athlete: { scope: 'profile:read_all', byDays: true, holds: 'measurement', horizonDays: 1 },
} as const satisfies Record<string, CollectionFacts>;

export type StravaCollection = keyof typeof stravaCollections;

export function isStravaCollection(name: string): name is StravaCollection {
  return Object.hasOwn(stravaCollections, name);
}
