import { type Scope, seriesOfTotals } from '@tributary/domain';
import type { DailyValueRow } from '../reading/daily-value-row.js';
import type { MeasurementShown } from '../reading/list-measurements.js';
import type { SeriesShown } from '../reading/list-series.js';
import type { SleepShown, WorkoutShown } from '../reading/list-sessions.js';
import type { RecordFilter } from '../reading/record-conditions.js';
import { shownDatum } from '../reading/shown-datum.js';
import type { Sql } from '../sql.js';
import type { Resolution } from './resolved-row.js';

/** A source's row as the view shows it: with the view's revision, and how it was picked. */
export type Resolved<Row> = Row & {
  readonly metric: string;
  readonly item: string;
  readonly resolution: Resolution;
};

/** Provider and source are those of the picked row. A page ended at: user, date, metric, item. */
export type ResolvedFilter = RecordFilter;

/**
 * At most one value for each day and metric, oldest day first. What is gone at its source is left out, even before the view knows; so is a
 * computed total when any series that it was made of is gone.
 */
export function listResolvedDaily(sql: Sql, scope: Scope, filter: ResolvedFilter): Promise<Resolved<DailyValueRow>[]> {
  return listResolved(sql, scope, filter, 'daily');
}

/** Of sessions that several sources recorded the one that stands for them, oldest day first. */
export function listResolvedSleep(sql: Sql, scope: Scope, filter: ResolvedFilter): Promise<Resolved<SleepShown>[]> {
  return listResolved(sql, scope, { ...filter, metric: 'sleep_session' }, 'session');
}

export function listResolvedWorkouts(sql: Sql, scope: Scope, filter: ResolvedFilter): Promise<Resolved<WorkoutShown>[]> {
  return listResolved(sql, scope, { ...filter, metric: 'workout' }, 'session');
}

/** At most one measurement for each day and metric, oldest day first. */
export function listResolvedMeasurements(sql: Sql, scope: Scope, filter: ResolvedFilter): Promise<Resolved<MeasurementShown>[]> {
  return listResolved(sql, scope, filter, 'measurement');
}

/** At most one series for each day and metric, oldest day first; samples are those of the source that has most of them. */
export function listResolvedSeries(sql: Sql, scope: Scope, filter: ResolvedFilter): Promise<Resolved<SeriesShown>[]> {
  return listResolved(sql, scope, filter, 'series');
}

/** Names from the list of metrics, never from a request. */
const seriesOfTotal = `case r.metric ${Object.entries(seriesOfTotals)
  .map(([total, series]) => `when '${total}' then '${series}'`)
  .join(' ')} end`;

const shapes = {
  daily: {
    columns: 'coalesce(r.computed_value, value) as value, unit, implausible',
    from: `daily_rollup where not exists (
            select 1 from jsonb_array_elements(r.resolution -> 'quarters') q
            where not exists (
              select 1 from series_day s
              where s.tenant_id = $1 and s.environment = $2 and s.user_id = r.user_id and s.provider = q ->> 'provider'
                and s.metric = ${seriesOfTotal} and s.source_id = q ->> 'sourceId' and s.local_date = r.local_date
                and s.workout_id is null and not s.deleted))
          and metric = r.metric and local_date = r.local_date`,
  },
  session: {
    columns: `record_id as "recordId", started_at as "startedAt", ended_at as "endedAt", end_utc_offset_s as "endUtcOffsetS", detail`,
    from: `session_record where kind = case r.metric when 'workout' then 'workout' else 'sleep' end and record_id = r.picked_record_id`,
  },
  measurement: {
    columns: `record_id as "recordId", measured_at as "measuredAt", value, parts, unit, implausible, manual, ambiguous, undated`,
    from: 'measurement_record where metric = r.metric and record_id = r.picked_record_id',
  },
  series: {
    columns: `workout_id as "workoutId", samples_from as "samplesFrom", offsets_s as "offsetsS", sample_values as "values",
            interval_s as "intervalS", unit, implausible`,
    from: 'series_day where metric = r.metric and local_date = r.local_date and workout_id is null',
  },
} as const;

async function listResolved<Row>(
  sql: Sql,
  { tenantId, environment }: Scope,
  filter: ResolvedFilter,
  kind: keyof typeof shapes,
): Promise<Resolved<Row>[]> {
  const { columns, from } = shapes[kind];
  const ofUser = filter.userId !== undefined;
  const { rows } = await sql.query<Resolved<Row> & Record<string, unknown>>({
    name: `resolved/list-${kind}${ofUser ? '-of-user' : ''}`,
    text: `
      select x.*, r.metric, r.item, r.revision, r.resolution
      from resolved_record r
      cross join lateral (
        select ${shownDatum}, ${columns}
        from ${from} and tenant_id = $1 and environment = $2 and user_id = r.user_id and provider = r.picked_provider
          and source_id = r.picked_source_id and not deleted
        limit 1) x
      where r.tenant_id = $1 and r.environment = $2 and ${ofUser ? 'r.user_id = $3' : '$3::text is null'} and r.kind = $4 and not r.deleted
        and ($5::text is null or r.metric = $5)
        and ($6::text is null or r.picked_provider = $6)
        and ($7::text is null or r.picked_source_id = $7)
        and ($8::date is null or r.local_date >= $8)
        and ($9::date is null or r.local_date <= $9)
        and ($10::text is null or (r.user_id, r.local_date, r.metric, r.item) > ($10, $11::date, $12, $13))
      order by r.user_id, r.local_date, r.metric, r.item
      limit $14`,
    values: [
      tenantId,
      environment,
      filter.userId ?? null,
      kind,
      filter.metric ?? null,
      filter.provider ?? null,
      filter.sourceId ?? null,
      filter.from ?? null,
      filter.to ?? null,
      ...(filter.after ?? [null, null, null, null]),
      filter.limit,
    ],
  });
  return rows;
}
