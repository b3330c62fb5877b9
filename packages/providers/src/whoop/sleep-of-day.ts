import { type CivilDate, type Version, offsetOfText, sleepDate, versionFromText } from '@tributary/domain';
import type { ReadAt } from '../date-fields.js';
import { type Document, readId, readInstant, readText } from '../document-fields.js';
import { Drift } from '../drift.js';

/** What recoveries and cycles need of their sleep: WHOOP gives no day, it is that of waking. */
export interface SleepOfDay {
  readonly id: string;
  readonly cycleId: string;
  readonly nap: boolean;
  readonly date: CivilDate;
  /** Epoch milliseconds. */
  readonly endMs: number;
  readonly durationS: number;
  readonly version: Version;
  /** What it was read from. */
  readonly document: Document;
}

/** @param at path of the document in its answer, ending in a dot or empty. @throws Drift */
export function sleepOfDay(document: Document, at: string, { whereabouts }: ReadAt): SleepOfDay {
  const offsetS = readOffset(document, at);
  const start = readInstant(document, 'start', at);
  const end = readInstant(document, 'end', at);
  const clues = {
    label: undefined,
    labelShift: 0,
    start: start.ms,
    end: end.ms,
    startOffsetS: offsetS,
    endOffsetS: offsetS,
    zone: undefined,
  };
  const date = sleepDate(clues, whereabouts);
  if (date === undefined) throw new Drift(`${at}end is no instant with an offset`);
  return {
    id: readId(document, at),
    cycleId: readCycleId(document, 'cycle_id', at),
    nap: readFlag(document, 'nap', at),
    date,
    endMs: end.ms,
    durationS: date.durationS,
    version: readVersion(document, at),
    document,
  };
}

/** Numbers of cycles are whole and below 2^53 for a few million years. @throws Drift */
export function readCycleId(document: Document, field: 'id' | 'cycle_id', at: string): string {
  const id = document[field];
  if (!Number.isSafeInteger(id)) throw new Drift(`${at}${field} is no whole number`);
  return String(id);
}

/** @throws Drift */
export function readSleepId(recovery: Document, at: string): string {
  const id = readText(recovery, 'sleep_id', at);
  if (!id) throw new Drift(`${at}sleep_id is no text`);
  return id;
}

/** Seconds east of UTC; `timezone_offset` is `+01:00`, `-0500` or `Z`. @throws Drift */
export function readOffset(document: Document, at: string): number {
  const offsetS = offsetOfText(`T${readText(document, 'timezone_offset', at) ?? ''}`);
  if (offsetS === undefined) throw new Drift(`${at}timezone_offset is no offset`);
  return offsetS;
}

/** Every document but the body's has the time of its last change. @throws Drift */
export function readVersion(document: Document, at: string): Version {
  const version = versionFromText(readText(document, 'updated_at', at) ?? '');
  if (version === undefined) throw new Drift(`${at}updated_at is no instant with an offset`);
  return version;
}

/** @throws Drift */
export function readFlag(document: Document, field: string, at: string): boolean {
  const value = document[field];
  if (typeof value !== 'boolean') throw new Drift(`${at}${field} is neither true nor false`);
  return value;
}

/** Asked for as `nextToken`, answered as `next_token`. @throws Drift */
export function readCursor(list: Document): string | undefined {
  const cursor = readText(list, 'next_token', '');
  return cursor === '' ? undefined : cursor;
}
