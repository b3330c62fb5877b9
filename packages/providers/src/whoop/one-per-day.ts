import type { DailyRecord, HealthRecord } from '@tributary/domain';
import { inputHashOf } from '../read-documents.js';

/** What one document says of its day. */
export interface DayCandidate {
  readonly records: readonly HealthRecord[];
  /** How much of the day it is about; the longest one stands for the day. */
  readonly lengthS: number;
  /** What the records were made from. */
  readonly documents: readonly unknown[];
}

/**
 * A day that woke twice has two cycles and two nights. They are not added up: the longer one stands for the day. It is as new as the newest
 * of them, so that a look at all of them replaces what a look at the shorter one had brought.
 */
export function onePerDay(candidates: readonly DayCandidate[]): HealthRecord[] {
  const others = candidates.flatMap(({ records }) => records.filter((record) => record.kind !== 'daily'));
  const byDay = new Map<string, DayCandidate[]>();
  for (const candidate of candidates) {
    const day = candidate.records.find((record) => record.kind === 'daily')?.localDate;
    if (day !== undefined) byDay.set(day, [...(byDay.get(day) ?? []), candidate]);
  }
  return [...others, ...[...byDay.values()].flatMap(ofDay)];
}

function ofDay(candidates: readonly DayCandidate[]): DailyRecord[] {
  const longest = candidates.reduce((best, one) => (one.lengthS > best.lengthS ? one : best));
  const daily = candidates.flatMap(({ records }) => records.filter((record) => record.kind === 'daily'));
  const version = Math.max(...daily.map((record) => record.version ?? 0));
  const inputHash = inputHashOf(candidates.map(({ documents }) => documents));
  return longest.records.filter((record) => record.kind === 'daily').map((record) => ({ ...record, version, inputHash }));
}
