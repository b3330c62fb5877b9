/**
 * What WHOOP announces and we read. Cycles, which hold the day's energy, are never announced: they have to be swept.
 * Recoveries are named by the id of their sleep.
 */
export const whoopCollections = ['sleep', 'recovery', 'workout'] as const;
