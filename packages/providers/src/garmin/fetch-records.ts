import type { FetchOutcome, Window } from '@tributary/domain';
import type { ReadAt } from '../date-fields.js';
import { readDocument } from '../document-fields.js';
import { Drift, outcomeOf } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { MAX_FAULTS, recordsOutcome } from '../read-documents.js';
import { type GarminCollection, garminCollections, isGarminCollection } from './collections.js';
import { comesInParts, dayStartOf, partOf } from './day-series.js';
import type { Summary } from './newest.js';
import { readSummaries } from './read-summaries.js';
import { type Called, calledBack, uploadedIn, wantsPullToken } from './uploads.js';

/** The most upload time that one read may span. */
const READ_S = 86_400;
/** Reads of one window: Garmin repeats for a week what was not received, so what is told is hardly ever older. */
const MAX_READS = 10;
/** The first clock on Earth is so far ahead of UTC. */
const FIRST_S = 14 * 3600;

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 *
 * A ping gives the address of what it tells of, with the key that Garmin wants to see; where there are such, they are called as they
 * are. Without them, Garmin is read by when something was uploaded.
 */
export async function fetchGarminRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isGarminCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(async () => {
    const parts = comesInParts(collection);
    const called = parts ? undefined : await calledBack(collection, { each: window.kind === 'whole' }, context);
    if (called !== undefined) return told(collection, called, { at: toldAt(window, context.now), context });
    try {
      if (window.kind === 'object') return await readSummary(collection, window.id, context);
      return await readUploads(collection, uploadsOf(window, context.now), context);
    } catch (error) {
      // An address would show parts of days, and Garmin does not show the rest: no series is better than a part of one.
      if (parts && context.callbacks !== undefined && context.callbacks.length > 0 && wantsPullToken(error))
        return { is: 'records', complete: true, records: [], asTold: toldAt(window, context.now) };
      throw error;
    }
  });
}

/** What addresses showed is the state of when they were told: a late one must not put the day as it was then in the place of what came since. */
function told(
  collection: GarminCollection,
  { summaries, complete }: Called,
  { at, context }: { readonly at: number; readonly context: FetchContext },
): FetchOutcome {
  const outcome = recordsOutcome([readSummaries(collection, summaries, context)], complete);
  return outcome.is === 'records' ? { ...outcome, asTold: at } : outcome;
}

/** When what a window is about was uploaded: of two states that are alike in length the one that was uploaded later is the later one. */
function toldAt(window: Window, now: number): number {
  return window.kind === 'instants' ? Math.min(Date.parse(window.to), now) : now;
}

/**
 * What was pushed to us of one window. A repeat that comes late is the last to come, and the longer day or the finished night is still the
 * newer one. Where two states are alike in that, bytes that were there before are a repeat; but an activity may be edited back.
 */
export function carriedGarminRecords(collection: string, carried: readonly Uint8Array[], read: ReadAt): FetchOutcome {
  if (!isGarminCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  const texts = carried.map((bytes) => Buffer.from(bytes).toString('utf8'));
  const states = garminCollections[collection].knownBy === 'day' ? [...new Set(texts)] : texts;
  const summaries: Summary[] = [];
  const faults: string[] = [];
  for (const [index, text] of states.entries()) {
    try {
      summaries.push([readDocument(JSON.parse(text), `carried[${index}].`), `carried[${index}].`]);
    } catch (error) {
      if (!(error instanceof Drift) && !(error instanceof SyntaxError)) throw error;
      faults.push(error instanceof Drift ? error.message : `carried[${index}] is no JSON`);
    }
  }
  // A day of which a part cannot be read is not whole.
  const readable = faults.length > 0 && comesInParts(collection) ? [] : summaries;
  return recordsOutcome(
    [{ records: [], faults: faults.slice(0, MAX_FAULTS) }, readSummaries(collection, readable, read, { order: 'arrived' })],
    true,
  );
}

/**
 * By upload times Garmin shows what was uploaded then: a window that is read late would put the day as it was then in the place of what came
 * since. So every read goes on from its window to this moment, and of all that it finds the newest state of each day counts. Of types that
 * come in parts it goes back to where the first of their days begins.
 */
async function readUploads(collection: GarminCollection, { from, to }: Seconds, context: FetchContext): Promise<FetchOutcome> {
  // Older than Garmin's own queue: read as far back as we go, and say that it is not all.
  const oldest = to - MAX_READS * READ_S;
  const start = Math.max(from, oldest);
  const summaries = await uploadedBetween(collection, { from: start, to }, context);
  if (!comesInParts(collection)) return recordsOutcome([readSummaries(collection, summaries, context)], start === from);
  const began = Math.min(start * 1000, ...summaries.flatMap((one) => dayStart(one, context)));
  const wholeFrom = Math.max(Math.floor(began / 1000), oldest);
  const earlier = wholeFrom < start ? await uploadedBetween(collection, { from: wholeFrom, to: start }, context) : [];
  // Nothing of a day can be uploaded before it begins.
  const meant = (day: number) => day >= wholeFrom * 1000;
  return recordsOutcome(
    [readSummaries(collection, [...earlier, ...summaries], context, { meant })],
    start === from && began >= oldest * 1000,
  );
}

/** None for a summary that cannot be read: its reader complains of it. */
function dayStart(one: Summary, read: ReadAt): number[] {
  try {
    return [dayStartOf(partOf(one, read))];
  } catch (error) {
    if (error instanceof Drift) return [];
    throw error;
  }
}

async function uploadedBetween(collection: GarminCollection, { from, to }: Seconds, context: FetchContext): Promise<Summary[]> {
  const summaries: Summary[] = [];
  for (let at = from; at < to; at += READ_S) {
    summaries.push(...(await uploadedIn(collection, { from: at, to: Math.min(at + READ_S, to) }, context)));
  }
  return summaries;
}

/** There is no address of one summary: it is looked for from this moment backwards, and as it was uploaded last it counts. */
async function readSummary(collection: GarminCollection, id: string, context: FetchContext): Promise<FetchOutcome> {
  const end = Math.ceil(context.now / 1000);
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const to = end - reads * READ_S;
    const found = (await uploadedIn(collection, { from: to - READ_S, to }, context)).filter(([summary]) => summary['summaryId'] === id);
    if (found.length === 0) continue;
    const shown = readSummaries(collection, found, context);
    const [fault] = shown.faults;
    // It was all that was asked for.
    return fault !== undefined && shown.records.length === 0 ? { is: 'drift', detail: fault } : recordsOutcome([shown], true);
  }
  // It may be older than what we look through: that it is not here does not say that it is not.
  return { is: 'not-ready' };
}

/** Upload times in seconds since 1970, `to` exclusive. */
interface Seconds {
  readonly from: number;
  readonly to: number;
}

/** A push came with its upload, or within a day of it. @param now epoch milliseconds. */
function uploadsOf(window: Exclude<Window, { kind: 'object' }>, now: number): Seconds {
  const nowS = Math.ceil(now / 1000);
  switch (window.kind) {
    case 'instants':
      // Garmin's clock may be ahead of ours, but not by a day.
      return {
        from: Math.min(Math.floor(Date.parse(window.from) / 1000), nowS),
        to: Math.max(nowS, Math.min(Math.ceil(Date.parse(window.to) / 1000), nowS + READ_S)),
      };
    case 'days':
      return { from: Math.min(Math.floor(Date.parse(`${window.from}T00:00:00Z`) / 1000) - FIRST_S, nowS - READ_S), to: nowS };
    case 'whole':
      return { from: nowS - MAX_READS * READ_S, to: nowS };
  }
}
