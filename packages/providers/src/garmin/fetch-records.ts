import { type FetchOutcome, type HealthRecord, type Window } from '@tributary/domain';
import { readDocument } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { refusalOf, replyJson, retryAtOf } from '../reply.js';
import { type GarminCollection, garminCollections, isGarminCollection } from './collections.js';
import { dailyRecords, hrvRecords, pulseOxRecords, skinTemperatureRecords, userMetricRecords } from './daily-records.js';
import { bodyRecords, pressureRecords } from './measurement-records.js';
import { type Summary, newestOfEach } from './newest.js';
import { activityRecords, sleepRecords } from './session-records.js';

/** The most upload time that one read may span. */
const READ_S = 86_400;
/** Reads of one window: Garmin repeats for a week what was not received, so what is told is hardly ever older. */
const MAX_READS = 10;
/** The first clock on Earth is so far ahead of UTC. */
const FIRST_S = 14 * 3600;

const read: Readonly<Record<GarminCollection, (...summary: [...Summary, now: number]) => HealthRecord[]>> = {
  dailies: dailyRecords,
  sleeps: sleepRecords,
  userMetrics: userMetricRecords,
  hrv: hrvRecords,
  pulseox: pulseOxRecords,
  skinTemp: skinTemperatureRecords,
  activities: activityRecords,
  bodyComps: bodyRecords,
  bloodPressures: pressureRecords,
};

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome.
 *
 * Garmin is read by when something was uploaded, and shows what was uploaded then: a window that is read late would put the day as it was
 * then in the place of what came since. So every read goes on from its window to this moment, and of all that it finds the newest state of
 * each day counts.
 */
export async function fetchGarminRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isGarminCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(() =>
    window.kind === 'object'
      ? readSummary(collection, window.id, context)
      : readUploads(collection, uploadsOf(window, context.now), context),
  );
}

/**
 * What was pushed to us of one window. A repeat that comes late is the last to come, and the longer day or the finished night is still the
 * newer one. Where two states are alike in that, bytes that were there before are a repeat; but an activity may be edited back.
 */
export function carriedGarminRecords(
  collection: string,
  carried: readonly Uint8Array[],
  { now }: Pick<FetchContext, 'now' | 'whereabouts'>,
): FetchOutcome {
  if (!isGarminCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  try {
    const texts = carried.map((bytes) => Buffer.from(bytes).toString('utf8'));
    const states = garminCollections[collection].knownBy === 'day' ? [...new Set(texts)] : texts;
    const summaries = states.map((text, index): Summary => [readDocument(JSON.parse(text), `carried[${index}].`), `carried[${index}].`]);
    return { is: 'records', complete: true, records: recordsOf(collection, newestOfEach(collection, summaries), now) };
  } catch (error) {
    if (error instanceof Drift) return { is: 'drift', detail: error.message };
    if (error instanceof SyntaxError) return { is: 'drift', detail: 'carried is no JSON' };
    throw error;
  }
}

async function readUploads(collection: GarminCollection, { from, to }: Seconds, context: FetchContext): Promise<FetchOutcome> {
  // Older than Garmin's own queue: read as far back as we go, and say that it is not all.
  const start = Math.max(from, to - MAX_READS * READ_S);
  const summaries: Summary[] = [];
  for (let at = start; at < to; at += READ_S) {
    summaries.push(...(await uploadedIn(collection, { from: at, to: Math.min(at + READ_S, to) }, context)));
  }
  return { is: 'records', complete: start === from, records: recordsOf(collection, newestOfEach(collection, summaries), context.now) };
}

/** There is no address of one summary: it is looked for from this moment backwards, and as it was uploaded last it counts. */
async function readSummary(collection: GarminCollection, id: string, context: FetchContext): Promise<FetchOutcome> {
  const end = Math.ceil(context.now / 1000);
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const to = end - reads * READ_S;
    const found = (await uploadedIn(collection, { from: to - READ_S, to }, context)).filter(([summary]) => summary['summaryId'] === id);
    if (found.length > 0) {
      return { is: 'records', complete: true, records: recordsOf(collection, newestOfEach(collection, found), context.now) };
    }
  }
  // It may be older than what we look through: that it is not here does not say that it is not.
  return { is: 'not-ready' };
}

function recordsOf(collection: GarminCollection, summaries: readonly Summary[], now: number): HealthRecord[] {
  return summaries.flatMap(([summary, at]) => read[collection](summary, at, now));
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

/** @throws EndOfRead when it is refused: half a window is never taken for one. */
async function uploadedIn(
  collection: GarminCollection,
  { from, to }: Seconds,
  { http, origins, accessToken, now }: FetchContext,
): Promise<Summary[]> {
  const query = new URLSearchParams({ uploadStartTimeInSeconds: String(from), uploadEndTimeInSeconds: String(to) });
  const reply = await http.send({
    method: 'GET',
    url: `${origins.api}/wellness-api/rest/${collection}?${query}`,
    headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
  });
  // 412: the person has unticked what this needs.
  const status = reply.status === 412 ? 403 : reply.status;
  const refused = refusalOf({ ...reply, status }, garminCollections[collection].scope, () => retryAtOf(reply.headers, now));
  if (refused !== undefined) throw new EndOfRead(refused);
  const list = replyJson(reply);
  if (!Array.isArray(list)) throw new Drift('body is no list');
  return list.map((value: unknown, index): Summary => [readDocument(value, `[${index}].`), `[${index}].`]);
}
