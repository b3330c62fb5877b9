import { type CivilDate, type Whereabouts, civilDate, isCivilDay } from '@tributary/domain';
import { type Document, readDocument, readText } from '../document-fields.js';
import { Drift } from '../drift.js';

// As in document-fields.ts: `at` is the path of the document, ending in a dot or empty, and a complaint names the path alone.

/** A number, which comes as text where Google's type has 64 bits. Absent was not measured. @throws Drift */
export function readCount(document: Document, field: string, at: string): number | null {
  const value = document[field];
  if (value === undefined || value === null) return null;
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new Drift(`${at}${field} is no number`);
  return number;
}

/** A duration such as `7200s` or `1830.5s`, in seconds. @throws Drift */
export function readDuration(document: Document, field: string, at: string): number | undefined {
  const text = readText(document, field, at);
  if (text === undefined) return undefined;
  if (!/^-?\d+(\.\d+)?s$/.test(text)) throw new Drift(`${at}${field} is no duration`);
  return Number(text.slice(0, -1));
}

/** `{ year, month, day }`. @throws Drift */
export function readDate(document: Document, field: string, at: string): string {
  const { year, month, day } = readDocument(document[field], `${at}${field}.`);
  const text = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
  if (!isCivilDay(text)) throw new Drift(`${at}${field} is no civil day`);
  return text;
}

/** An instant, and where the person's own clock stood at it. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly ms: number;
  /** Seconds east of UTC; undefined when Google does not say. */
  readonly offsetS: number | undefined;
}

/** An instant and, in a field of its own, the offset of the person's clock at it. @throws Drift */
export function readMoment(document: Document, [time, offset]: readonly [string, string], at: string): Moment {
  const ms = Date.parse(readText(document, time, at) ?? '');
  if (Number.isNaN(ms)) throw new Drift(`${at}${time} is no instant`);
  const offsetS = readDuration(document, offset, at);
  if (offsetS !== undefined && !Number.isInteger(offsetS)) throw new Drift(`${at}${offset} is no offset`);
  return { ms, offsetS };
}

/** The day of a moment by the ladder of dates. @param at path of what has the moment. @throws Drift */
export function dateOf({ ms, offsetS }: Moment, whereabouts: Whereabouts, at: string): CivilDate {
  const date = civilDate({ label: undefined, labelShift: 0, at: ms, offsetS, zone: undefined }, whereabouts);
  if (date === undefined) throw new Drift(`${at} is no instant of a calendar`);
  return date;
}

/** @throws Drift */
export function readInterval(document: Document, at: string): { readonly start: Moment; readonly end: Moment } {
  const interval = readDocument(document['interval'], `${at}interval.`);
  const start = readMoment(interval, ['startTime', 'startUtcOffset'], `${at}interval.`);
  const end = readMoment(interval, ['endTime', 'endUtcOffset'], `${at}interval.`);
  if (end.ms < start.ms) throw new Drift(`${at}interval.endTime is before startTime`);
  return { start, end };
}

/** @throws Drift */
export function readObjects(document: Document, field: string, at: string): readonly Document[] {
  const value = document[field];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Drift(`${at}${field} is no list`);
  return value.map((item: unknown, index) => readDocument(item, `${at}${field}[${index}].`));
}
