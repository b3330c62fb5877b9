import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type CandidateRow, candidateFields } from './candidate-row.js';
import type { TouchedDay } from './resolved-row.js';

export interface DailyCandidateRow extends CandidateRow {
  readonly metric: string;
  readonly value: number;
}

/**
 * What each source holds of these days now; tombstones left out.
 * @param providers all that there are: the key of the table has the provider before the metric.
 */
export async function readDailyCandidates(
  sql: Sql,
  { tenantId, environment }: Scope,
  days: readonly TouchedDay[],
  providers: readonly string[],
): Promise<DailyCandidateRow[]> {
  if (days.length === 0) return [];
  const { rows } = await sql.query<DailyCandidateRow & Record<string, unknown>>({
    name: 'resolved/read-daily-candidates',
    text: `
      select ${candidateFields}, r.metric, r.value, null as "recordId"
      from unnest($3::text[], $4::text[], $5::text[]) k (user_id, metric, local_date)
      cross join unnest($6::text[]) p (provider)
      cross join lateral (
        select * from daily_rollup
        where tenant_id = $1 and environment = $2 and user_id = k.user_id and provider = p.provider and metric = k.metric
          and local_date = k.local_date::date and not deleted
        -- The order of the key, so that its index is taken even where the planner knows nothing of the table yet.
        order by source_id
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
      pgArray('text', providers),
    ],
  });
  return rows;
}
