import type { CollectionFacts } from '../provider.js';

/** What we read of WHOOP. */
export const whoopCollections = {
  cycle: { scope: 'read:cycles', byDays: true, holds: 'daily', authoritative: true },
  sleep: { scope: 'read:sleep', byDays: true, holds: 'sleep', authoritative: true },
  recovery: { scope: 'read:recovery', byDays: true, holds: 'daily', authoritative: true },
  workout: { scope: 'read:workout', byDays: true, holds: 'workout', authoritative: true },
  // Only as it is now: there is no past to read.
  body_measurement: { scope: 'read:body_measurement', byDays: true, holds: 'measurement', horizonDays: 1 },
} as const satisfies Record<string, CollectionFacts>;

export type WhoopCollection = keyof typeof whoopCollections;

export function isWhoopCollection(name: string): name is WhoopCollection {
  return Object.hasOwn(whoopCollections, name);
}

/** What WHOOP announces. Cycles, which hold the day's energy, and the body's measures never are: they have to be swept. */
export const announcedCollections = ['sleep', 'recovery', 'workout'] as const;

const RECOVERY = 'recovery/';

/** WHOOP names a recovery by the id of its sleep; what goes with the one must not go with the other. */
export function recoveryName(sleepId: string): string {
  return RECOVERY + sleepId;
}

export function sleepIdOf(recovery: string): string {
  return recovery.startsWith(RECOVERY) ? recovery.slice(RECOVERY.length) : recovery;
}
