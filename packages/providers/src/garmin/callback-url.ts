import type { Window } from '@tributary/domain';
import { MalformedDelivery } from '../provider.js';
import { type Fields, asEpochSeconds } from '../read-fields.js';

/** An address in an unsigned body leads wherever its sender likes: nothing but these is believed, and even these are not followed. */
const GARMIN_ORIGIN = 'https://apis.garmin.com';
const GARMIN_PATH = '/wellness-api/rest/';

const [FROM, TO] = ['uploadStartTimeInSeconds', 'uploadEndTimeInSeconds'] as const;

/**
 * What was uploaded when, of a ping. All that is taken of its `callbackURL` are the two times; we read by them with the person's own
 * grant, so neither the address nor the token in it is kept.
 */
export function uploadWindow(item: Fields, path: string): Window {
  const url = item['callbackURL'];
  const query = url === undefined || url === null ? undefined : garminQuery(url, `${path}.callbackURL`);
  const [from, to] =
    query !== undefined && (query.has(FROM) || query.has(TO)) ? [only(query, FROM), only(query, TO)] : [item[FROM], item[TO]];
  const start = asEpochSeconds(from, `${path}.${FROM}`);
  const end = asEpochSeconds(to, `${path}.${TO}`);
  if (end < start) throw new MalformedDelivery(`${path}.${TO}: before ${FROM}`);
  return { kind: 'instants', from: instant(start), to: instant(Math.max(end, start + 1)) };
}

function garminQuery(value: unknown, path: string): URLSearchParams {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isGarmins =
    url !== undefined && url.origin === GARMIN_ORIGIN && url.username === '' && url.password === '' && url.pathname.startsWith(GARMIN_PATH);
  if (!isGarmins) throw new MalformedDelivery(`${path}: not an address of Garmin`);
  return url.searchParams;
}

/** A parameter that comes twice says nothing. */
function only(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

function instant(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
