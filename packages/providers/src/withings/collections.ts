import type { CollectionFacts } from '../provider.js';

/**
 * What we read of Withings, in the words of its API: `measure` (getmeas), `activity` (getactivity, and the workouts of the same days, of
 * which it tells by the same notification), `sleep` (sleep getsummary).
 */
export const withingsCollections = {
  measure: { scope: 'user.metrics', byDays: true, holds: 'measurement' },
  activity: { scope: 'user.activity', byDays: true, holds: 'daily' },
  sleep: { scope: 'user.activity', byDays: true, holds: 'sleep' },
} as const satisfies Record<string, CollectionFacts>;

export type WithingsCollection = keyof typeof withingsCollections;

export function isWithingsCollection(name: string): name is WithingsCollection {
  return Object.hasOwn(withingsCollections, name);
}

/**
 * `appli`, the number of a notification category, to what it makes doubtful. Left out, and so acknowledged: 46 (the account, see
 * notices.ts), 50 to 53 (a mat or cuff that did something, no data), 54 and 55 (ECG), 58 (glucose), 61 and 62 (further devices).
 */
export const collectionsByAppli: ReadonlyMap<string, WithingsCollection> = new Map([
  ['1', 'measure'], // weight and body composition
  ['2', 'measure'], // temperature
  ['4', 'measure'], // blood pressure, heart rate, SpO2
  ['16', 'activity'],
  ['44', 'sleep'],
]);

/** The person left the app (`unlink`), was deleted (`delete`), or changed a name or height (`update`). */
export const ACCOUNT_APPLI = '46';
