import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type RecordFilter, recordConditions } from './record-conditions.js';
import { type ShownDatum, shownDatum } from './shown-datum.js';

export interface SeriesShown extends ShownDatum {
  readonly metric: string;
  readonly item: string;
  readonly workoutId: string | null;
  readonly samplesFrom: Date;
  readonly offsetsS: readonly number[];
  readonly values: readonly number[];
  readonly intervalS: number | null;
  readonly unit: string;
  readonly implausible: boolean;
}

export const seriesColumns = `${shownDatum}, metric, item, workout_id as "workoutId", samples_from as "samplesFrom", offsets_s as "offsetsS",
        sample_values as "values", interval_s as "intervalS", unit, implausible`;

export interface SeriesFilter extends RecordFilter {
  readonly workoutId: string | undefined;
}

/** What we hold now, whole, user by user, oldest day first; tombstones left out. A page ended at: user, date, metric, provider, source, item. */
export async function listSeries(sql: Sql, scope: Scope, { workoutId, ...filter }: SeriesFilter): Promise<SeriesShown[]> {
  const order = ['user_id', 'local_date', 'metric', 'provider', 'source_id', 'item'];
  const { mark, text, values } = recordConditions(scope, filter, order, { 'workout_id =': workoutId });
  const { rows } = await sql.query<SeriesShown & Record<string, unknown>>({
    name: `list-series:${mark}`,
    text: `
      select ${seriesColumns}
      from series_day
      ${text}`,
    values,
  });
  return rows;
}
