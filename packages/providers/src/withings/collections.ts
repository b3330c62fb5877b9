/** What we read of Withings, in the words of its API: `measure` (getmeas), `activity` (getactivity), `sleep` (sleep getsummary). */
export type WithingsCollection = 'measure' | 'activity' | 'sleep';

/**
 * `appli`, the number of a notification category, to what it makes doubtful. Left out, and so acknowledged: 46 (the account, see
 * notices.ts), 50 to 53 (a mat or cuff that did something, no data), 54 and 55 (ECG), 58 (glucose), 61 and 62 (further devices).
 */
export const withingsCollections: ReadonlyMap<string, WithingsCollection> = new Map([
  ['1', 'measure'], // weight and body composition
  ['2', 'measure'], // temperature
  ['4', 'measure'], // blood pressure, heart rate, SpO2
  ['16', 'activity'],
  ['44', 'sleep'],
]);
