import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Samples of one source of one day. */
export interface DaySamples {
  readonly metric: string;
  readonly localDate: string;
  readonly provider: string;
  readonly sourceId: string;
  readonly samplesFrom: Date;
  readonly offsetsS: readonly number[];
  readonly values: readonly number[];
}

/** What every source has of these days of one user; tombstones and samples of workouts left out. */
export async function readDaySamples(
  sql: Sql,
  { tenantId, environment }: Scope,
  userId: string,
  days: readonly { readonly metric: string; readonly localDate: string }[],
): Promise<DaySamples[]> {
  if (days.length === 0) return [];
  const { rows } = await sql.query<DaySamples & Record<string, unknown>>({
    name: 'resolved/read-day-samples',
    text: `
      select s.metric, s.local_date as "localDate", s.provider, s.source_id as "sourceId", s.samples_from as "samplesFrom",
        s.offsets_s as "offsetsS", s.sample_values as "values"
      from unnest($4::text[], $5::text[]) k (metric, local_date)
      join series_day s on s.tenant_id = $1 and s.environment = $2 and s.user_id = $3 and s.local_date = k.local_date::date
        and s.metric = k.metric and s.workout_id is null and not s.deleted`,
    values: [
      tenantId,
      environment,
      userId,
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
