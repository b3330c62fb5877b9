import type { Scope, SleepDetail, WorkoutDetail } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type DailyValueRow, dailyColumns } from './daily-value-row.js';
import { type MeasurementShown, measurementColumns } from './list-measurements.js';
import { type SeriesShown, seriesColumns } from './list-series.js';
import { type SessionShown, sessionColumns } from './list-sessions.js';

/** Names one record of a kind, among all of its environment. */
export interface ShownKey {
  readonly userId: string;
  readonly provider: string;
  readonly sourceId: string;
  /** Of nights and workouts: which of both. */
  readonly metric: string;
  /** Of a daily value its day; of a session or measurement its id; of a series its day, or the workout that it belongs to. */
  readonly item: string;
}

/** A row with the place of its key among those that were asked for. */
export type Found<Row> = Row & { readonly ordinal: number };

export function findDailyValues(sql: Sql, scope: Scope, keys: readonly ShownKey[]): Promise<Found<DailyValueRow>[]> {
  return findRecords(sql, scope, keys, {
    from: 'daily_rollup',
    columns: dailyColumns,
    metric: 'metric',
    item: 'local_date',
    cast: '::date',
  });
}

export function findSessions(
  sql: Sql,
  scope: Scope,
  keys: readonly ShownKey[],
): Promise<Found<SessionShown<SleepDetail | WorkoutDetail>>[]> {
  return findRecords(sql, scope, keys, { from: 'session_record', columns: sessionColumns, metric: 'kind', item: 'record_id', cast: '' });
}

export function findMeasurements(sql: Sql, scope: Scope, keys: readonly ShownKey[]): Promise<Found<MeasurementShown>[]> {
  return findRecords(sql, scope, keys, {
    from: 'measurement_record',
    columns: measurementColumns,
    metric: 'metric',
    item: 'record_id',
    cast: '',
  });
}

export function findSeries(sql: Sql, scope: Scope, keys: readonly ShownKey[]): Promise<Found<SeriesShown>[]> {
  return findRecords(sql, scope, keys, { from: 'series_day', columns: seriesColumns, metric: 'metric', item: 'item', cast: '' });
}

interface Shape {
  readonly from: string;
  readonly columns: string;
  readonly metric: string;
  readonly item: string;
  readonly cast: string;
}

/** Each by its primary key; what is not held, or deleted, is left out. */
async function findRecords<Row>(
  sql: Sql,
  { tenantId, environment }: Scope,
  keys: readonly ShownKey[],
  { from, columns, metric, item, cast }: Shape,
): Promise<Found<Row>[]> {
  if (keys.length === 0) return [];
  const texts = (of: (key: ShownKey) => string) => pgArray('text', keys.map(of));
  const { rows } = await sql.query<Found<Row> & Record<string, unknown>>({
    name: `find-records-of-${from}`,
    text: `
      select x.*, k.ordinal::integer as ordinal
      from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
        with ordinality k (of_user, of_provider, of_source, of_metric, of_item, ordinal)
      cross join lateral (
        select ${columns} from ${from}
        where tenant_id = $1 and environment = $2 and user_id = k.of_user and provider = k.of_provider and ${metric} = k.of_metric
          and source_id = k.of_source and ${item} = k.of_item${cast} and not deleted) x
      order by k.ordinal`,
    values: [
      tenantId,
      environment,
      texts((key) => key.userId),
      texts((key) => key.provider),
      texts((key) => key.sourceId),
      texts((key) => key.metric),
      texts((key) => key.item),
    ],
  });
  return rows;
}
