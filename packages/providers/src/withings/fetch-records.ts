import { type FetchOutcome, type HealthRecord, type Window, isZone } from '@tributary/domain';
import { type ReadAt } from '../date-fields.js';
import { Drift, outcomeOf } from '../drift.js';
import type { FetchContext } from '../provider.js';
import { type ReadDocuments, readDocuments, recordsOutcome } from '../read-documents.js';
import { activityRecords } from './activity.js';
import { isWithingsCollection, withingsCollections } from './collections.js';
import { readZone } from './fields.js';
import { readIntraday } from './intraday.js';
import { type Listed, readList } from './listing.js';
import { measureRecords, profileOf } from './measures.js';
import { readSleep } from './read-sleep.js';
import { type Span, daysOf, isInside, secondsOf } from './spans.js';
import { workoutRecords } from './workouts.js';

/** Fields that are only answered when they are asked for. */
const activityFields =
  'steps,distance,elevation,soft,moderate,intense,active,calories,totalcalories,hr_average,hr_min,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3';
const workoutFields =
  'calories,effduration,manual_distance,manual_calories,hr_average,hr_min,hr_max,hr_zone_0,hr_zone_1,hr_zone_2,hr_zone_3,pause_duration,steps,distance,elevation';

/**
 * Reads one window of one collection. Never throws for what the provider does: every end is an outcome. Spans are asked for with room
 * on each side, since their ends and zones are not said, and cut by each record's own time or day afterwards.
 */
export async function fetchWithingsRecords(collection: string, window: Window, context: FetchContext): Promise<FetchOutcome> {
  if (!isWithingsCollection(collection)) return { is: 'drift', detail: 'collection is not known' };
  return outcomeOf(async () => {
    if (window.kind === 'object') throw new Drift('windows of objects are not known');
    switch (collection) {
      case 'measure':
        return readMeasures(window, context);
      case 'activity':
        return readActivity(window, context);
      case 'intraday':
        return readIntraday(window, context);
      case 'sleep':
        return readSleep(window, context);
    }
  });
}

async function readMeasures(window: Span, context: FetchContext): Promise<FetchOutcome> {
  const { scope } = withingsCollections.measure;
  const fields = { category: '1', ...secondsOf(window) };
  const { listed, complete, last } = await readList({ path: '/measure', action: 'getmeas', list: 'measuregrps', fields, scope }, context);
  const zone = readZone(last, 'body.');
  const whereabouts = profileOf(zone, context);
  const outcome = recordsOutcome([readInside(listed, window, { ...context, whereabouts }, measureRecords)], complete);
  return outcome.is === 'records' && zone !== undefined && isZone(zone) ? { ...outcome, profileZone: zone } : outcome;
}

async function readActivity(window: Span, context: FetchContext): Promise<FetchOutcome> {
  const { scope } = withingsCollections.activity;
  const asked = { path: '/v2/measure', scope };
  const days = daysOf(window, 1);
  const totals = await readList(
    { ...asked, action: 'getactivity', list: 'activities', fields: { ...days, data_fields: activityFields } },
    context,
  );
  const workouts = await readList(
    { ...asked, action: 'getworkouts', list: 'series', fields: { ...days, data_fields: workoutFields } },
    context,
  );
  return recordsOutcome(
    [readInside(totals.listed, window, context, activityRecords), readInside(workouts.listed, window, context, workoutRecords)],
    totals.complete && workouts.complete,
  );
}

function readInside(
  listed: readonly Listed[],
  window: Span,
  read: ReadAt,
  toRecords: (value: unknown, at: string, read: ReadAt) => HealthRecord[],
): ReadDocuments {
  const values = listed.map(({ value }) => value);
  return readDocuments(
    values,
    (index) => listed[index]?.at ?? '',
    (value, at) => toRecords(value, at, read).filter((record) => isInside(record, window)),
  );
}
