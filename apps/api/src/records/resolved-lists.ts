import { type Scope } from '@tributary/domain';
import {
  type RecordFilter,
  type Resolved,
  type SeriesShown,
  type Sql,
  listResolvedDaily,
  listResolvedMeasurements,
  listResolvedSeries,
  listResolvedSleep,
  listResolvedWorkouts,
  readDaySamples,
} from '@tributary/storage';
import { mergeSamples } from '@tributary/handoffs';
import type { ListSource } from './record-list.js';
import { showResolution } from './resolution.js';
import { showMeasurement, showResolvedDaily, showSeries, showSleepSession, showWorkout } from './show-record.js';

type Place = Pick<Resolved<{ userId: string; localDate: string }>, 'userId' | 'localDate' | 'metric' | 'item'>;

/** In the shape of the source's own list, each entry with how it was picked. */
function resolved<Row extends Resolved<Place & { revision: number }>>(
  list: (sql: Sql, scope: Scope, filter: RecordFilter) => Promise<Row[]>,
  show: (row: Row) => object,
): ListSource<Row> {
  return {
    name: 'resolved',
    places: 4,
    list: (sql, scope, filter) => list(sql, scope, filter),
    show: (row) => ({ ...show(row), ...showResolution(row.resolution) }),
    place: (row) => [row.userId, row.localDate, row.metric, row.item],
  };
}

/** Lists of the resolved view, by kind. */
export const resolvedLists = {
  daily: resolved(listResolvedDaily, showResolvedDaily),
  sleep: resolved(listResolvedSleep, showSleepSession),
  workouts: resolved(listResolvedWorkouts, showWorkout),
  measurements: resolved(listResolvedMeasurements, showMeasurement),
  series: resolved(listMergedSeries, (row) => showSeries({ ...row, item: row.localDate })),
};

async function listMergedSeries(sql: Sql, scope: Scope, filter: RecordFilter): Promise<Resolved<SeriesShown>[]> {
  const rows = await listResolvedSeries(sql, scope, filter);
  const merged = [];
  for (const userId of new Set(rows.map((row) => row.userId))) {
    const ofUser = rows.filter((row) => row.userId === userId);
    const samples = await readDaySamples(sql, scope, userId, ofUser);
    merged.push(...ofUser.map((row) => mergeSamples(row, samples)));
  }
  return merged;
}
