import type { Scope, Source } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface SeriesShown {
  readonly connectionId: string;
  readonly provider: string;
  readonly metric: string;
  readonly sourceId: string;
  readonly item: string;
  readonly workoutId: string | null;
  readonly localDate: string;
  readonly source: Source;
  readonly samplesFrom: Date;
  readonly offsetsS: readonly number[];
  readonly values: readonly number[];
  readonly intervalS: number | null;
  readonly unit: string;
  readonly implausible: boolean;
  readonly dateBasis: string;
  readonly dayModel: string;
  readonly utcOffsetS: number | null;
  readonly provisional: boolean;
  /** Microseconds since the epoch. */
  readonly version: number;
  readonly inferred: boolean;
  readonly revision: number;
}

export interface SeriesFilter {
  readonly userId: string;
  readonly metric: string | undefined;
  readonly provider: string | undefined;
  readonly sourceId: string | undefined;
  readonly workoutId: string | undefined;
  /** Both inclusive. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Where the last page ended: date, metric, provider, source, item. */
  readonly after: readonly [string, string, string, string, string] | undefined;
  readonly limit: number;
}

/** What we hold now, whole, oldest day first; tombstones left out. */
export async function listSeries(sql: Sql, { tenantId, environment }: Scope, filter: SeriesFilter): Promise<SeriesShown[]> {
  const { rows } = await sql.query<SeriesShown & Record<string, unknown>>({
    name: 'list-series',
    text: `
      select connection_id as "connectionId", provider, metric, source_id as "sourceId", item, workout_id as "workoutId",
        local_date as "localDate", source, samples_from as "samplesFrom", offsets_s as "offsetsS", sample_values as "values",
        interval_s as "intervalS", unit, implausible, date_basis as "dateBasis", day_model as "dayModel",
        utc_offset_s as "utcOffsetS", provisional, version, inferred, revision
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
