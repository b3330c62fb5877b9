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
  return outcomeOf(async () => {
    const nowS = Math.ceil(context.now / 1000);
    const fromS = uploadedSince(window, nowS);
    // Older than Garmin's own queue: read as far back as we go, and say that it is not all.
    const startS = Math.max(fromS, nowS - MAX_READS * READ_S);
    const summaries: Summary[] = [];
    for (let from = startS; from < nowS; from += READ_S) {
      summaries.push(...(await uploadedIn(collection, { from, to: Math.min(from + READ_S, nowS) }, context)));
    }
    const meant = newestOfEach(collection, summaries).filter(([summary]) => window.kind !== 'object' || summary['summaryId'] === window.id);
    // There is no address of one summary, and it may be older than what we look through: that it is not here does not say that it is not.
    if (window.kind === 'object' && meant.length === 0) return { is: 'not-ready' };
    const records = meant.flatMap(([summary, at]) => read[collection](summary, at, context.now));
    return { is: 'records', complete: startS === fromS, records };
  });
}

/** From when on (seconds since 1970) it was uploaded. A push came with its upload, or within a day of it. */
function uploadedSince(window: Window, nowS: number): number {
  switch (window.kind) {
    case 'instants':
      return Math.min(Math.floor(Date.parse(window.from) / 1000), nowS - 1);
    case 'days':
      return Math.min(Math.floor(Date.parse(`${window.from}T00:00:00Z`) / 1000) - FIRST_S, nowS - READ_S);
    case 'object':
    case 'whole':
      return nowS - MAX_READS * READ_S;
  }
}

/** @throws EndOfRead when it is refused: half a window is never taken for one. */
async function uploadedIn(
  collection: GarminCollection,
  { from, to }: { readonly from: number; readonly to: number },
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
