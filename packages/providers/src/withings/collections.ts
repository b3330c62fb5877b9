import type { CollectionFacts } from '../provider.js';

/**
 * What we read of Withings, in the words of its API: `measure` (getmeas), `activity` (getactivity, and the workouts of the same days, of
 * which it tells by the same notification), `intraday` (getintradayactivity: heart rate and steps over the day), `sleep` (sleep
 * getsummary, and get for the stages of each). The last two take a call for each day or sleep, of 120 a minute for everybody: short spans.
 */
export const withingsCollections = {
  measure: { scope: 'user.metrics', byDays: true, holds: 'measurement', authoritative: true },
  activity: { scope: 'user.activity', byDays: true, holds: 'daily', authoritative: true },
  intraday: { scope: 'user.activity', byDays: true, holds: 'series', spanDays: 3 },
  sleep: { scope: 'user.activity', byDays: true, holds: 'sleep', spanDays: 10, authoritative: true },
} as const satisfies Record<string, CollectionFacts>;

export type WithingsCollection = keyof typeof withingsCollections;

export function isWithingsCollection(name: string): name is WithingsCollection {
  return Object.hasOwn(withingsCollections, name);
}

/**
 * `appli`, the number of a notification category, to what it makes doubtful. Left out, and so acknowledged: 46 (the account, see
 * notices.ts), 50 to 53 (a mat or cuff that did something, no data), 54 and 55 (ECG), 58 (glucose), 61 and 62 (further devices).
 */
export const collectionsByAppli: ReadonlyMap<string, readonly WithingsCollection[]> = new Map([
  ['1', ['measure']], // weight and body composition
  ['2', ['measure']], // temperature
  ['4', ['measure']], // blood pressure, heart rate, SpO2
  ['16', ['activity', 'intraday']],
  ['44', ['sleep']],
]);

/** The person left the app (`unlink`), was deleted (`delete`), or changed a name or height (`update`). */
export const ACCOUNT_APPLI = '46';
