import { type Version, isCivilDay, versionFromText } from '@tributary/domain';
import { parseJson } from './parse-json.js';
import { MalformedDelivery } from './provider.js';
import type { RawRequest } from './raw-request.js';

/** An object of a body: fields that nobody documented pass unread. */
export type Fields = Readonly<Record<string, unknown>>;

/** Longer ids than any provider's are let through, but not so long that an index could not hold them. */
const LONGEST_ID = 256;
/** Seconds: the end of the year 9999, beyond which no date is written with four digits. */
const LAST_EPOCH_S = 253_402_300_799;

// Each reader takes the value and its path, e.g. `sleeps[0].userId`; a complaint names the path and never the value.

/** The JSON object that a body is. */
export function bodyObject({ body }: RawRequest): Fields {
  return asObject(parseJson(body), 'body');
}

/** The JSON array that a body is. */
export function bodyList({ body }: RawRequest): readonly unknown[] {
  return asList(parseJson(body), 'body');
}

export function asObject(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedDelivery(`${path}: expected an object`);
  return value as Fields;
}

export function asList(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedDelivery(`${path}: expected a list`);
  return value;
}

export function asText(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new MalformedDelivery(`${path}: expected text`);
  return value;
}

/** Ids are text here whatever they are there; a whole number is taken as its digits, all of them. */
export function asId(value: unknown, path: string): string {
  const text = asText(Number.isSafeInteger(value) || typeof value === 'bigint' ? String(value) : value, path);
  if (text.length > LONGEST_ID) throw new MalformedDelivery(`${path}: longer than ${LONGEST_ID} characters`);
  // Postgres cannot hold these two, and what is left after dropping them would be another person's id.
  if (/\0|\p{Surrogate}/u.test(text)) throw new MalformedDelivery(`${path}: holds a NUL or half a surrogate pair`);
  return text;
}

/** Outside of these no wearable has measured anything, a database has no such day, or none that follows it. */
const [FIRST_DAY, LAST_DAY] = ['1900-01-01', '2199-12-31'];

/** A day of the person's own calendar, `YYYY-MM-DD`. */
export function asCivilDay(value: unknown, path: string): string {
  if (typeof value !== 'string' || !isCivilDay(value) || value < FIRST_DAY || value > LAST_DAY)
    throw new MalformedDelivery(`${path}: expected a day, YYYY-MM-DD`);
  return value;
}

/** RFC 3339 with its offset, to the microsecond. */
export function asInstant(value: unknown, path: string): Version {
  const version = typeof value === 'string' ? versionFromText(value) : undefined;
  if (version === undefined || !Number.isSafeInteger(version) || version < 0) {
    throw new MalformedDelivery(`${path}: expected an instant in RFC 3339`);
  }
  return version;
}

/** Whole seconds since 1970, as a number or as the digits that a form has. */
export function asEpochSeconds(value: unknown, path: string): number {
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds) || seconds < 0 || seconds > LAST_EPOCH_S) {
    throw new MalformedDelivery(`${path}: expected whole seconds since 1970`);
  }
  return seconds;
}
