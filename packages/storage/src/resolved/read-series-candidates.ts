import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type CandidateRow, candidateFields } from './candidate-row.js';
import type { TouchedDay } from './resolved-row.js';

export interface SeriesCandidateRow extends CandidateRow {
  readonly metric: string;
  readonly intervalS: number | null;
  /** Starts of the spans in which it has samples, epoch milliseconds, rising. */
  readonly spans: readonly number[];
}

/** Series of these days that each source holds now, as far as picking needs them; tombstones and samples of workouts left out. */
export async function readSeriesCandidates(
  sql: Sql,
  { tenantId, environment }: Scope,
  days: readonly TouchedDay[],
  spanS: number,
): Promise<SeriesCandidateRow[]> {
  if (days.length === 0) return [];
  const { rows } = await sql.query<SeriesCandidateRow & Record<string, unknown>>({
    name: 'resolved/read-series-candidates',
    text: `
      select ${candidateFields}, r.metric, null as "recordId", r.interval_s as "intervalS",
        (select coalesce(array_agg(distinct floor((extract(epoch from r.samples_from) + o) / $6::int)::bigint * $6::int * 1000
            order by floor((extract(epoch from r.samples_from) + o) / $6::int)::bigint * $6::int * 1000), '{}')::float8[]
          from unnest(r.offsets_s) o) as spans
      from unnest($3::text[], $4::text[], $5::text[]) k (user_id, metric, local_date)
      cross join lateral (
        select * from series_day
        where tenant_id = $1 and environment = $2 and user_id = k.user_id and local_date = k.local_date::date and metric = k.metric
          and workout_id is null and not deleted
        limit 100) r`,
    values: [
      tenantId,
      environment,
      pgArray(
        'text',
        days.map((day) => day.userId),
      ),
      pgArray(
        'text',
        days.map((day) => day.metric),
      ),
      pgArray(
        'text',
        days.map((day) => day.localDate),
      ),
      spanS,
    ],
  });
  return rows;
}
