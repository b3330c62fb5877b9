import { type CivilDate, type SeriesRecord, civilDate } from '@tributary/domain';
import { type ReadAt, dateFields } from '../date-fields.js';
import { readDocument, readInstant, readNumber } from '../document-fields.js';
import { Drift } from '../drift.js';
import { inputHashOf } from '../read-documents.js';
import { type DaySample, seriesByDay } from '../series-by-day.js';
import { ring } from './documents.js';
import type { OuraSleep } from './sleep.js';

const civil = { dayModel: 'civil', startsAtH: 0, labelShift: 0 } as const;

/** The offset of a day holds until the next day's, but not for ever: a ring in a drawer says nothing of where the person is. */
const OFFSET_HOLDS_MS = 36 * 3_600_000;

/** Whole days that were read, `to` outside. */
interface Days {
  readonly from: string;
  readonly to: string;
}

/** From when on, and at what offset, the person was; in the order of time. */
export type OffsetHistory = readonly { readonly ms: number; readonly offsetS: number }[];

export interface OuraSample {
  readonly ms: number;
  readonly bpm: number;
  /** Undefined where Oura wrote it in UTC, as it does: that is no word on where the person was. */
  readonly offsetS: number | undefined;
}

/** One beat rate; none when it was not measured. @throws Drift naming the path. */
export function readSample(value: unknown, at: string): OuraSample[] {
  const document = readDocument(value, at);
  const { ms, offsetS } = readInstant(document, 'timestamp', at);
  const bpm = readNumber(document, 'bpm', at);
  return bpm === null || bpm === 0 ? [] : [{ ms, bpm, offsetS: offsetS === 0 ? undefined : offsetS }];
}

/** All heart rates of the days asked for, each under the day of its instant where the person was. */
export function heartRateRecords(samples: readonly OuraSample[], days: Days, offsets: OffsetHistory, read: ReadAt): SeriesRecord[] {
  const dates = new Map<string, CivilDate>();
  const dated = samples.flatMap(({ ms, bpm, offsetS }): DaySample[] => {
    const clues = { label: undefined, labelShift: 0, at: ms, offsetS: offsetS ?? offsetAt(offsets, ms), zone: undefined };
    const date = civilDate(clues, read.whereabouts);
    if (date === undefined || date.localDate < days.from || date.localDate >= days.to) return [];
    if (!dates.has(date.localDate)) dates.set(date.localDate, date);
    return [{ localDate: date.localDate, ms, value: bpm }];
  });
  return seriesByDay('heart_rate', dated, (localDate) => rowOf('heartrate', localDate, dates, read)).map(hashedSamples);
}

/**
 * The heart rate variability of the nights, by the days of its samples. A slot of five minutes without a value is a hole and no 0.
 * @param isWanted whether a day is asked for, and all of its sleeps are given. @throws Drift naming the path.
 */
export function hrvRecords(sleeps: readonly OuraSleep[], isWanted: (day: string) => boolean, read: ReadAt): SeriesRecord[] {
  const dates = new Map<string, CivilDate>();
  const samples = sleeps.flatMap(({ document, at }): DaySample[] => {
    if (document['hrv'] === undefined || document['hrv'] === null) return [];
    const path = `${at}hrv.`;
    const hrv = readDocument(document['hrv'], path);
    const start = readInstant(hrv, 'timestamp', path);
    const everyS = readNumber(hrv, 'interval', path);
    if (everyS === null || !(everyS > 0)) throw new Drift(`${path}interval is no number of seconds`);
    const items: unknown = hrv['items'];
    if (!Array.isArray(items)) throw new Drift(`${path}items is no list`);
    return items.flatMap((item: unknown, index): DaySample[] => {
      if (item === null || item === 0) return [];
      if (typeof item !== 'number') throw new Drift(`${path}items[${index}] is no number`);
      const ms = start.ms + index * everyS * 1000;
      const date = civilDate({ label: undefined, labelShift: 0, at: ms, offsetS: start.offsetS, zone: undefined }, read.whereabouts);
      if (date === undefined || !isWanted(date.localDate)) return [];
      if (!dates.has(date.localDate)) dates.set(date.localDate, date);
      return [{ localDate: date.localDate, ms, value: item }];
    });
  });
  return seriesByDay('hrv_rmssd', samples, (localDate) => rowOf('hrv', localDate, dates, read)).map(hashedSamples);
}

function rowOf(name: string, localDate: string, dates: ReadonlyMap<string, CivilDate>, read: ReadAt) {
  const date = dates.get(localDate);
  if (date === undefined) return undefined;
  return { providerRecordId: `${name}/${localDate}`, source: ring, version: undefined, ...dateFields(date, civil, { now: read.now }) };
}

function hashedSamples(record: SeriesRecord): SeriesRecord {
  return { ...record, inputHash: inputHashOf([record.utcOffsetS ?? null, record.samples]) };
}

function offsetAt(offsets: OffsetHistory, ms: number): number | undefined {
  const last = offsets.findLast((one) => one.ms <= ms) ?? offsets[0];
  return last !== undefined && Math.abs(ms - last.ms) < OFFSET_HOLDS_MS ? last.offsetS : undefined;
}
