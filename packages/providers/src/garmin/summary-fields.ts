import { type Dated, type Source, civilDayAt, isCivilDay } from '@tributary/domain';
import { type Document, readNumber, readText } from '../document-fields.js';
import { Drift } from '../drift.js';

// As in document-fields.ts: `at` is the path of the summary, ending in a dot or empty, and a complaint names the path alone.

/** Garmin makes one stream of all of a person's watches; summaries of a day do not say which. */
const watch: Source = { id: 'src_garmin', type: 'watch', manufacturer: 'Garmin', model: undefined };

export function sourceOf(summary: Document, at: string): Source {
  return { ...watch, model: readText(summary, 'deviceName', at) };
}

/** Whole seconds since 1970, of which some summaries have fractions. @returns epoch milliseconds. @throws Drift */
export function readEpoch(summary: Document, field: string, at: string): number {
  const seconds = readNumber(summary, field, at);
  if (seconds === null || seconds < 0 || seconds > 253_402_300_799) throw new Drift(`${at}${field} is no time in seconds`);
  return Math.round(seconds * 1000);
}

/** What the watch showed, not a zone: it can be set to anything within a day. @throws Drift */
export function readOffset(summary: Document, field: string, at: string): number | undefined {
  const offsetS = readNumber(summary, field, at);
  if (offsetS === null) return undefined;
  if (!Number.isInteger(offsetS) || Math.abs(offsetS) > 86_400) throw new Drift(`${at}${field} is no offset`);
  return offsetS;
}

/** Numbers below zero are codes (not worn, moving, too little data), and never values. @throws Drift */
export function readMeasured(summary: Document, field: string, at: string): number | null {
  const value = readNumber(summary, field, at);
  return value === null || value < 0 ? null : value;
}

/** @throws Drift */
export function readSummaryId(summary: Document, at: string): string {
  const id = readText(summary, 'summaryId', at);
  if (id === undefined || id === '') throw new Drift(`${at}summaryId is no text`);
  return id;
}

/** The day that Garmin files it under, else that of its own clock at `ms`. @throws Drift */
export function dateOf(
  summary: Document,
  { ms, offsetS }: { readonly ms: number | undefined; readonly offsetS: number | undefined },
  at: string,
): Pick<Dated, 'localDate' | 'dateBasis'> {
  const label = readText(summary, 'calendarDate', at);
  if (label !== undefined) {
    if (!isCivilDay(label)) throw new Drift(`${at}calendarDate is no civil day`);
    return { localDate: label, dateBasis: 'provider_date' };
  }
  if (ms === undefined) throw new Drift(`${at}calendarDate is missing`);
  return { localDate: civilDayAt(ms, offsetS ?? 0), dateBasis: offsetS === undefined ? 'utc_assumed' : 'record_offset' };
}

/** A map of seconds after the start to values, in order; codes and gaps are left out. @throws Drift */
export function readOffsets(summary: Document, field: string, at: string): readonly (readonly [offsetS: number, value: number])[] {
  const map = summary[field];
  if (map === undefined || map === null) return [];
  if (typeof map !== 'object' || Array.isArray(map)) throw new Drift(`${at}${field} is no map`);
  return Object.entries(map)
    .flatMap(([key, value]: [string, unknown]): [number, number][] => {
      if (!/^\d{1,6}$/.test(key)) throw new Drift(`${at}${field} has a key that is no number of seconds`);
      if (value === null) return [];
      if (typeof value !== 'number' || !Number.isFinite(value)) throw new Drift(`${at}${field}.${key} is no number`);
      return value < 0 ? [] : [[Number(key), value]];
    })
    .sort(([a], [b]) => a - b);
}
