import type { CollectionFacts } from '../provider.js';

interface GarminCollectionFacts extends CollectionFacts {
  /** What of a pushed summary names its window. */
  readonly knownBy: 'day' | 'summary';
}

/** Garmin asks nobody to look without being told, so nothing is swept: what a ping or push was lost for, its queue of seven days repeats. */
const health = { scope: 'HEALTH_EXPORT', byDays: false } as const;

/**
 * What we read of Garmin, by its summary types. The ids of `dailies` and `sleeps` end in their length and change as the day or night grows,
 * and a series is of the whole day, so these are known by their day; the others by their `summaryId`. Windows of instants are of upload
 * times, which is how Garmin's own reads are cut, and never of the times that the data is about.
 */
export const garminCollections = {
  dailies: { ...health, holds: 'daily', knownBy: 'day' },
  sleeps: { ...health, holds: 'sleep', knownBy: 'day', unstableIds: true },
  userMetrics: { ...health, holds: 'daily', knownBy: 'day' },
  activities: { scope: 'ACTIVITY_EXPORT', byDays: false, holds: 'workout', knownBy: 'summary' },
  bodyComps: { ...health, holds: 'measurement', knownBy: 'summary' },
  bloodPressures: { ...health, holds: 'measurement', knownBy: 'summary' },
  hrv: { ...health, holds: 'daily', knownBy: 'summary' },
  skinTemp: { ...health, holds: 'daily', knownBy: 'summary' },
  epochs: { ...health, holds: 'series', knownBy: 'day' },
  allDayRespiration: { ...health, holds: 'series', knownBy: 'day' },
  pulseox: { ...health, holds: 'series', knownBy: 'day' },
  stressDetails: { ...health, holds: 'series', knownBy: 'day' },
} as const satisfies Record<string, GarminCollectionFacts>;

export type GarminCollection = keyof typeof garminCollections;

export function isGarminCollection(name: string): name is GarminCollection {
  return Object.hasOwn(garminCollections, name);
}

/** An edited activity is sent under a key of its own. */
const otherNames: Readonly<Record<string, GarminCollection>> = { manuallyupdatedactivities: 'activities' };

const grants: ReadonlySet<string> = new Set(['deregistrations', 'userpermissionschange', 'userpermissionchange', 'userpermissions']);

const byLowerCase: ReadonlyMap<string, GarminCollection> = new Map([
  ...Object.keys(garminCollections).map((name) => [name.toLowerCase(), name as GarminCollection] as const),
  ...Object.entries(otherNames),
]);

/**
 * What a key of a body holds, in any letter case: `pulseOx` of the manual is `pulseox` on the wire. Undefined: nothing that we read
 * (`activityDetails`, `activityFiles`, `moveIQActivities`, `healthSnapshot`, `mct`, and keys to come).
 */
export function garminType(key: string): GarminCollection | 'grant' | undefined {
  const name = key.toLowerCase();
  return grants.has(name) ? 'grant' : byLowerCase.get(name);
}
