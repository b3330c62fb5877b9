import { isSameSession } from '@tributary/domain';
import { type Document, readText } from '../document-fields.js';
import { Drift } from '../drift.js';
import type { GarminCollection } from './collections.js';
import { nightSpan } from './sleep-records.js';
import { readEpoch, readMeasured, readSummaryId } from './summary-fields.js';

/** A summary and its path in the answer, ending in a dot. */
export type Summary = readonly [summary: Document, at: string];

/**
 * Of several summaries of one day, night or activity, the one that counts. Garmin gives no version: a day grows, so the longer one is
 * the later state of it, and of a night the one that Garmin has finished with; of two alike, the one that came last. What a person edits may
 * become shorter: of an activity the one that was uploaded last counts, where the order of uploads is known.
 * @param summaries in the order in which they were uploaded, or have arrived. One that cannot be told from others stays, for its reader to
 * complain of.
 */
export function newestOfEach(
  collection: GarminCollection,
  summaries: readonly Summary[],
  order: 'uploaded' | 'arrived' = 'uploaded',
): readonly Summary[] {
  const lastCounts = collection === 'activities' && order === 'uploaded';
  const newest = new Map<string, Summary>();
  for (const one of summaries) {
    const key = unlessDrift(() => keyOf(collection, one)) ?? one[1];
    const held = newest.get(key);
    if (held === undefined || lastCounts || unlessDrift(() => isOlder(collection, one, held)) !== true) newest.set(key, one);
  }
  return collection === 'sleeps' ? withoutOvertaken([...newest.values()]) : [...newest.values()];
}

function keyOf(collection: GarminCollection, [summary, at]: Summary): string {
  if (collection === 'dailies' || collection === 'sleeps') return String(readEpoch(summary, 'startTimeInSeconds', at));
  if (collection === 'userMetrics') return readText(summary, 'calendarDate', at) ?? '';
  return readSummaryId(summary, at);
}

/** A night whose beginning was moved is the same night: of those that share more than half of the shorter one, one is left. */
function withoutOvertaken(nights: readonly Summary[]): readonly Summary[] {
  const left: Summary[] = [];
  for (const one of nights) {
    const twin = left.findIndex((held) => unlessDrift(() => isSameSession(nightSpan(...one), nightSpan(...held))) === true);
    if (twin < 0) left.push(one);
    else if (unlessDrift(() => isOlder('sleeps', one, left[twin] as Summary)) !== true) left[twin] = one;
  }
  return left;
}

function isOlder(collection: GarminCollection, one: Summary, other: Summary): boolean {
  if (collection === 'sleeps' && rankOf(one) !== rankOf(other)) return rankOf(one) < rankOf(other);
  return durationOf(one) < durationOf(other);
}

/** `AUTO_…` before `ENHANCED_…`, which has more to go by; within each, tentative before final. Not worn, or not known, goes first. */
const ranks = ['AUTO_TENTATIVE', 'ENHANCED_TENTATIVE', 'AUTO_FINAL', 'ENHANCED_FINAL'];

function rankOf([summary, at]: Summary): number {
  return ranks.indexOf(readText(summary, 'validation', at) ?? '');
}

function durationOf([summary, at]: Summary): number {
  return readMeasured(summary, 'durationInSeconds', at) ?? 0;
}

function unlessDrift<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Drift) return undefined;
    throw error;
  }
}
