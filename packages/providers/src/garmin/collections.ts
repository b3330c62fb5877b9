/**
 * What we read of Garmin, by its summary types, and what of a pushed summary names its window. The ids of `dailies` and `sleeps` end in
 * their length and change as the day or night grows, so these are known by their day; the others by their `summaryId`. Windows of
 * instants are of upload times, which is how Garmin's own reads are cut, and never of the times that the data is about.
 */
export const garminCollections = {
  dailies: 'day',
  sleeps: 'day',
  userMetrics: 'day',
  activities: 'summary',
  bodyComps: 'summary',
  bloodPressures: 'summary',
  hrv: 'summary',
  pulseox: 'summary',
  allDayRespiration: 'summary',
  skinTemp: 'summary',
} as const satisfies Record<string, 'day' | 'summary'>;

export type GarminCollection = keyof typeof garminCollections;

export function isGarminCollection(name: string): name is GarminCollection {
  return Object.hasOwn(garminCollections, name);
}

/** Other names of the same thing: an edited activity is sent under a key of its own, and the manual's spelling is not the wire's. */
const otherNames: Readonly<Record<string, GarminCollection>> = {
  manuallyupdatedactivities: 'activities',
  respiration: 'allDayRespiration',
};

const grants: ReadonlySet<string> = new Set(['deregistrations', 'userpermissionschange', 'userpermissionchange', 'userpermissions']);

const byLowerCase: ReadonlyMap<string, GarminCollection> = new Map([
  ...Object.keys(garminCollections).map((name) => [name.toLowerCase(), name as GarminCollection] as const),
  ...Object.entries(otherNames),
]);

/**
 * What a key of a body holds, in any letter case: `pulseOx` of the manual is `pulseox` on the wire. Undefined: nothing that we read
 * (`epochs`, `stressDetails`, `activityDetails`, `activityFiles`, `moveIQActivities`, `healthSnapshot`, `mct`, and keys to come).
 */
export function garminType(key: string): GarminCollection | 'grant' | undefined {
  const name = key.toLowerCase();
  return grants.has(name) ? 'grant' : byLowerCase.get(name);
}
