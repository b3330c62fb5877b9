import type { CollectionFacts } from '../provider.js';

/** What we read of Oura; its other data types are acknowledged and give no notice. */
export const ouraCollections = {
  daily_activity: { scope: 'daily', byDays: true, holds: 'daily' },
  sleep: { scope: 'daily', byDays: true, holds: 'sleep' },
} as const satisfies Record<string, CollectionFacts>;

export type OuraCollection = keyof typeof ouraCollections;

export function isOuraCollection(name: string): name is OuraCollection {
  return Object.hasOwn(ouraCollections, name);
}
