import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { TouchedDay } from './resolved-row.js';

/** What one source counted over a day, for as long as a total is computed from it. */
export interface IntradayRow {
  readonly userId: string;
  readonly metric: string;
  readonly localDate: string;
  readonly provider: string;
  readonly sourceId: string;
  readonly recordId: null;
  readonly samplesFrom: Date;
  readonly offsetsS: readonly number[];
  readonly values: readonly number[];
  readonly intervalS: number | null;
}

/** Series of these days that each source holds now, with their samples; tombstones and samples of workouts left out. */
export async function readIntraday(
  sql: Sql,
  { tenantId, environment }: Scope,
  days: readonly Omit<TouchedDay, 'kind'>[],
): Promise<IntradayRow[]> {
  if (days.length === 0) return [];
  const { rows } = await sql.query<IntradayRow & Record<string, unknown>>({
    name: 'resolved/read-intraday',
    text: `
      select s.user_id as "userId", s.metric, s.local_date as "localDate", s.provider, s.source_id as "sourceId", null as "recordId",
        s.samples_from as "samplesFrom", s.offsets_s as "offsetsS", s.sample_values as "values", s.interval_s as "intervalS"
      from unnest($3::text[], $4::text[], $5::text[]) k (user_id, metric, local_date)
      cross join lateral (
        select * from series_day
        where tenant_id = $1 and environment = $2 and user_id = k.user_id and local_date = k.local_date::date and metric = k.metric
          and workout_id is null and not deleted
        limit 100) s`,
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
    ],
  });
  return rows;
}
