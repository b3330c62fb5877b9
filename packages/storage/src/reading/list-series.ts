import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type RecordFilter, type ShownDatum, shownDatum } from './shown-datum.js';

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

export interface SeriesFilter extends RecordFilter {
  readonly workoutId: string | undefined;
  /** Where the last page ended: date, metric, provider, source, item. */
  readonly after: readonly [string, string, string, string, string] | undefined;
}

/** What we hold now, whole, oldest day first; tombstones left out. */
export async function listSeries(sql: Sql, { tenantId, environment }: Scope, filter: SeriesFilter): Promise<SeriesShown[]> {
  const { rows } = await sql.query<SeriesShown & Record<string, unknown>>({
    name: 'list-series',
    text: `
      select ${shownDatum}, metric, item, workout_id as "workoutId", samples_from as "samplesFrom", offsets_s as "offsetsS",
        sample_values as "values", interval_s as "intervalS", unit, implausible
      from series_day
      where tenant_id = $1 and environment = $2 and user_id = $3 and not deleted
        and ($4::text is null or metric = $4)
        and ($5::text is null or provider = $5)
        and ($6::text is null or source_id = $6)
        and ($7::date is null or local_date >= $7)
        and ($8::date is null or local_date <= $8)
        and ($9::date is null or (local_date, metric, provider, source_id, item) > ($9, $10, $11, $12, $13))
        and ($15::text is null or workout_id = $15)
      order by local_date, metric, provider, source_id, item
      limit $14`,
    values: [
      tenantId,
      environment,
      filter.userId,
      filter.metric ?? null,
      filter.provider ?? null,
      filter.sourceId ?? null,
      filter.from ?? null,
      filter.to ?? null,
      ...(filter.after ?? [null, null, null, null, null]),
      filter.limit,
      filter.workoutId ?? null,
    ],
  });
  return rows;
}
