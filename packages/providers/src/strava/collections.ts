import type { CollectionFacts } from '../provider.js';

/** What we read of Strava; activities in the word of its `object_type`. It has no sleep and no daily totals, and never tells of a weight. */
export const stravaCollections = {
  // A list hides activities that turned private; asked for by its id, such a one is not there either, which is what Strava then tells by webhook.
  // Each activity costs two calls of the hundred that an app has for a quarter of an hour, so few days are read at once.
  activity: { scope: 'activity:read', byDays: true, holds: 'workout', authoritative: 'by_id', spanDays: 7 },
  // Only as it is now: there is no past to read.
  athlete: { scope: 'profile:read_all', byDays: true, holds: 'measurement', horizonDays: 1 },
} as const satisfies Record<string, CollectionFacts>;

export type StravaCollection = keyof typeof stravaCollections;

export function isStravaCollection(name: string): name is StravaCollection {
  return Object.hasOwn(stravaCollections, name);
}
