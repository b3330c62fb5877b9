import type { CollectionFacts } from '../provider.js';

/** The one scope that there is. */
export const POLAR_SCOPE = 'accesslink.read_all';

/** What of Polar is read, in the words of its paths (`/v3/users/sleep` …). The events of SleepWise hold estimates that are not. */
export const polarCollections = {
  exercises: { scope: POLAR_SCOPE, byDays: true, holds: 'workout' },
  activities: { scope: POLAR_SCOPE, byDays: true, holds: 'daily' },
  sleep: { scope: POLAR_SCOPE, byDays: true, holds: 'sleep' },
  'nightly-recharge': { scope: POLAR_SCOPE, byDays: true, holds: 'daily' },
  'continuous-heart-rate': { scope: POLAR_SCOPE, byDays: true, holds: 'series' },
  'physical-info': { scope: POLAR_SCOPE, byDays: true, holds: 'measurement' },
} as const satisfies Record<string, CollectionFacts>;

export type PolarCollection = keyof typeof polarCollections;

export function isPolarCollection(name: string): name is PolarCollection {
  return Object.hasOwn(polarCollections, name);
}
