import type { Window } from '@tributary/domain';
import { MalformedDelivery } from '../provider.js';
import { type Fields, asEpochSeconds } from '../read-fields.js';

/** An address in an unsigned body leads wherever its sender likes: nothing but these is believed. */
const GARMIN_ORIGIN = 'https://apis.garmin.com';
const GARMIN_PATH = '/wellness-api/rest/';
/** Garmin's have some 300 characters. */
const LONGEST = 2_048;

const [FROM, TO] = ['uploadStartTimeInSeconds', 'uploadEndTimeInSeconds'] as const;

/** What a ping points at. */
export interface Ping {
  /** What was uploaded when; all there is, where the address alone knows. */
  readonly window: Window;
  /** Its address, letter by letter; undefined where there is none that could be called so. */
  readonly callback: string | undefined;
}

/**
 * A ping: the times of its upload, by which we can read with the person's own grant, and the address with the key to just that, which Garmin
 * asks for and which must not be written anew.
 */
export function readPing(item: Fields, path: string): Ping {
  const url = item['callbackURL'] ?? undefined;
  const query = url === undefined ? undefined : garminQuery(url, `${path}.callbackURL`);
  const callback = typeof url === 'string' && requestTarget(url) !== undefined ? url : undefined;
  const isInUrl = query !== undefined && (query.has(FROM) || query.has(TO));
  // An address without times is still one that can be called.
  if (callback !== undefined && !isInUrl && item[FROM] === undefined && item[TO] === undefined)
    return { window: { kind: 'whole' }, callback };
  const [from, to] = isInUrl ? [only(query, FROM), only(query, TO)] : [item[FROM], item[TO]];
  const start = asEpochSeconds(from, `${path}.${FROM}`);
  const end = asEpochSeconds(to, `${path}.${TO}`);
  if (end < start) throw new MalformedDelivery(`${path}.${TO}: before ${FROM}`);
  return { window: { kind: 'instants', from: instant(start), to: instant(Math.max(end, start + 1)) }, callback };
}

/**
 * Path and query of an address of Garmin, each letter as it came: the token is percent-encoded, ids are longer than a number holds, and the
 * order of parameters counts. undefined for an address that is not Garmin's, or that would not stay as it is on its way through a client. It
 * was looked at when it came, and is looked at again before it is called.
 */
export function requestTarget(callback: string): string | undefined {
  if (callback.length > LONGEST || !isGarmins(callback)) return undefined;
  const { pathname, search } = new URL(callback);
  return callback === GARMIN_ORIGIN + pathname + search ? pathname + search : undefined;
}

function garminQuery(value: unknown, path: string): URLSearchParams {
  if (typeof value !== 'string' || !isGarmins(value)) throw new MalformedDelivery(`${path}: not an address of Garmin`);
  return new URL(value).searchParams;
}

function isGarmins(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined && url.origin === GARMIN_ORIGIN && url.username === '' && url.password === '' && url.pathname.startsWith(GARMIN_PATH)
  );
}

/** A parameter that comes twice says nothing. */
function only(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

function instant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
