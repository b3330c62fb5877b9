import { type FetchOutcome, type HealthRecord, type Window, addDays } from '@tributary/domain';
import type { Document } from '../document-fields.js';
import { Drift, EndOfRead, outcomeOf } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { believablePause, refusalOf } from '../reply.js';
import { TOO_MANY, type WithingsAnswer, authFailed, badCall, notAllowed, postAction, readAnswer } from './call.js';
import { type WithingsCollection, isWithingsCollection, withingsCollections } from './collections.js';
import { activityRecords } from './activity.js';
import { measureRecords, zoneOfAnswer } from './measures.js';
import { sleepRecords } from './sleep.js';
import { workoutRecords } from './workouts.js';

/** Pages of one list that we follow. */
const MAX_PAGES = 50;

/** Fields that are only answered when they are asked for. */
const activityFields =
  'steps,distance,elevation,soft,moderate,intense,active,calories,totalcalories,hr_average,hr_min,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3';
const workoutFields =
  'calories,effduration,manual_distance,manual_calories,hr_average,hr_min,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3,pause_duration,steps,distance,elevation';
const sleepFields =
  'total_timeinbed,total_sleep_time,lightsleepduration,deepsleepduration,remsleepduration,wakeupduration,sleep_latency,hr_average,hr_min,rr_average,sleep_score';

/** East of UTC a day begins up to 14 hours sooner, west of it ends up to 12 hours later. */
const EAST_S = 14 * 3600;
const WEST_S = 12 * 3600;

interface Listing {
  readonly path: string;
  readonly action: string;
  readonly list: string;
  readonly fields: Readonly<Record<string, string>>;
}

type Read = (value: unknown, at: string, body: Document) => HealthRecord[];

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome. Spans are asked for with room
 * on each side, since their ends and zones are not said, and cut by each record's own time or day afterwards.
 */
export async function fetchWithingsRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isWithingsCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(async () => {
    if (window.kind === 'object') throw new Drift('windows of objects are not known');
    const records: HealthRecord[] = [];
    let complete = true;
    for (const [listing, read] of readsOf(collection, window)) {
      const got = await readList(collection, listing, read, context);
      records.push(...got.records.filter((record) => isInside(record, window)));
      complete &&= got.complete;
    }
    return { is: 'records', complete, records };
  });
}

function readsOf(collection: WithingsCollection, window: Exclude<Window, { kind: 'object' }>): (readonly [Listing, Read])[] {
  if (collection === 'measure') {
    const fields = { category: '1', ...secondsOf(window) };
    return [
      [
        { path: '/measure', action: 'getmeas', list: 'measuregrps', fields },
        (value, at, body) => measureRecords(value, at, zoneOfAnswer(body)),
      ],
    ];
  }
  const days = daysOf(window);
  if (collection === 'sleep') {
    return [[{ path: '/v2/sleep', action: 'getsummary', list: 'series', fields: { ...days, data_fields: sleepFields } }, sleepRecords]];
  }
  return [
    [{ path: '/v2/measure', action: 'getactivity', list: 'activities', fields: { ...days, data_fields: activityFields } }, activityRecords],
    [{ path: '/v2/measure', action: 'getworkouts', list: 'series', fields: { ...days, data_fields: workoutFields } }, workoutRecords],
  ];
}

async function readList(
  collection: WithingsCollection,
  { path, action, list, fields }: Listing,
  read: Read,
  { http, origins, accessToken, now }: FetchContext,
): Promise<{ records: HealthRecord[]; complete: boolean }> {
  const records: HealthRecord[] = [];
  let offset: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = offset === undefined ? fields : { ...fields, offset };
    const reply = await postAction(http, { url: origins.api + path, action, fields: asked, accessToken });
    const { scope } = withingsCollections[collection];
    const refused = refusalOf(reply, scope, () => believablePause(undefined, now));
    if (refused !== undefined) throw new EndOfRead(refused);
    const answer = readAnswer(reply);
    if (answer.status !== 0) throw new EndOfRead(endOf(answer, scope, now));
    // Without anything to show the list itself may be missing.
    const values = answer.body[list] ?? [];
    if (!Array.isArray(values)) throw new Drift(`body.${list} is no list`);
    records.push(...values.flatMap((value, index) => read(value, `body.${list}[${index}].`, answer.body)));
    // `true` or 1.
    if (!answer.body['more']) return { records, complete: true };
    offset = String(answer.body['offset']);
  }
  return { records, complete: false };
}

/** What the number inside an answer of 200 means for the read. Never that there is nothing. */
function endOf({ status }: WithingsAnswer, scope: string, now: number): FetchOutcome {
  // The limit is 120 calls a minute for the whole app, and nothing says when the minute ends.
  if (status === TOO_MANY) return { is: 'rate-limited', retryAt: believablePause(undefined, now) };
  if (authFailed.has(status)) return { is: 'unauthorised' };
  if (notAllowed.has(status)) return { is: 'forbidden', scope };
  if (badCall.has(status)) return { is: 'drift', detail: `status ${status}` };
  return { is: 'transient', code: `withings_${status}` };
}

function secondsOf(window: Exclude<Window, { kind: 'object' }>): Record<string, string> {
  if (window.kind === 'whole') return {};
  const isDays = window.kind === 'days';
  const start = Math.floor(Date.parse(window.from) / 1000) - (isDays ? EAST_S : 1);
  const end = Math.ceil(Date.parse(window.to) / 1000) + (isDays ? WEST_S : 1);
  return { startdate: String(Math.max(0, start)), enddate: String(end) };
}

/** Both ends belong to the span, and one day more on each side; a night may be filed under the day after. */
function daysOf(window: Exclude<Window, { kind: 'object' }>): Record<string, string> {
  if (window.kind === 'whole') return { lastupdate: '0' };
  return { startdateymd: addDays(window.from.slice(0, 10), -1), enddateymd: addDays(window.to.slice(0, 10), 1) };
}

function isInside(record: HealthRecord, window: Window): boolean {
  if (record.kind === 'deleted' || window.kind === 'whole' || window.kind === 'object') return true;
  if (window.kind === 'days') return record.localDate >= window.from && record.localDate < window.to;
  const [from, to] = [Date.parse(window.from), Date.parse(window.to)];
  if (record.kind === 'measurement') return Date.parse(record.instant) >= from && Date.parse(record.instant) < to;
  if (record.kind === 'sleep' || record.kind === 'workout') return Date.parse(record.end) > from && Date.parse(record.start) < to;
  // A value of a day that the span touches.
  return true;
}
