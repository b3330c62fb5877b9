import { type CivilDate, type Dated, type Source, civilDate, isCivilDay, providerDay } from '@tributary/domain';
import { type ReadAt, type Standing, dateFields } from '../date-fields.js';
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

/** What the watch showed, not a zone: it can be set to anything, and the ladder of dates refuses what no clock shows. @throws Drift */
export function readOffset(summary: Document, field: string, at: string): number | undefined {
  return readNumber(summary, field, at) ?? undefined;
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

/** The day that Garmin gives a summary itself; undefined where it gives none. @throws Drift */
export function readLabel(summary: Document, at: string): string | undefined {
  const label = readText(summary, 'calendarDate', at);
  if (label !== undefined && !isCivilDay(label)) throw new Drift(`${at}calendarDate is no civil day`);
  return label;
}

interface When {
  /** Epoch milliseconds of the instant that decides where Garmin gives no day; undefined when there is none. */
  readonly ms: number | undefined;
  readonly offsetS: number | undefined;
}

/** The day that Garmin files it under, else that of its own clock at `ms`. @throws Drift */
export function dateOf(summary: Document, { ms, offsetS }: When, at: string, { whereabouts }: ReadAt): CivilDate {
  const label = readLabel(summary, at);
  const date = civilDate({ label, labelShift: 0, at: ms, offsetS, zone: undefined }, whereabouts);
  if (date === undefined) throw new Drift(`${at}calendarDate is missing`);
  return date;
}

interface Filing {
  readonly at: string;
  readonly read: ReadAt;
  /** Name of the summary type, for what is peculiar of its days. */
  readonly type: string;
  /** Epoch milliseconds; undefined for what has a day alone. */
  readonly ms?: number | undefined;
  /** Epoch milliseconds, for what only grows: a longer state of it is the later one. */
  readonly coverageEnd?: number | undefined;
  readonly standing?: Omit<Standing, 'now'>;
}

/** What all records of a summary have. @throws Drift */
export function filed(summary: Document, { at, read, type, ms, coverageEnd, standing }: Filing): Dated {
  const date = dateOf(summary, { ms, offsetS: readOffset(summary, 'startTimeOffsetInSeconds', at) }, at, read);
  return {
    ...dateFields(date, providerDay('garmin', type, []), { now: read.now, ...standing }),
    providerRecordId: readSummaryId(summary, at),
    source: sourceOf(summary, at),
    version: undefined,
    coverageEnd,
  };
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
