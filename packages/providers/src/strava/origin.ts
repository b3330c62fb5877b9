import { type Document, readText } from '../document-fields.js';

/**
 * Whose word it was before Strava had it: what stands before the first mark of an upload's name (`garmin_ping_20417733901`), or what a
 * device is called. Names of our providers where it is one of them, else the maker's.
 */
const origins: readonly (readonly [RegExp, string])[] = [
  [/^(garmin|forerunner|f[eē]nix|edge|vivo|venu|epix|instinct)/, 'garmin'],
  [/^polar/, 'polar'],
  [/^whoop/, 'whoop'],
  [/^oura/, 'oura'],
  [/^withings/, 'withings'],
  [/^(google|fitbit|pixel)/, 'google'],
  [/^suunto/, 'suunto'],
  [/^coros/, 'coros'],
  [/^(wahoo|elemnt)/, 'wahoo'],
  [/^apple/, 'apple'],
  [/^(samsung|galaxy)/, 'samsung'],
  [/^zwift/, 'zwift'],
];

/** Undefined for what was recorded with Strava's own app, typed in, or comes from whom we do not know. @throws Drift */
export function originOf(activity: Document, at: string): string | undefined {
  const names = [readText(activity, 'external_id', at), readText(activity, 'device_name', at)];
  return names.map(makerOf).find((maker) => maker !== undefined);
}

function makerOf(name: string | undefined): string | undefined {
  const word = name?.trim().toLowerCase();
  return word === undefined ? undefined : origins.find(([pattern]) => pattern.test(word))?.[1];
}
