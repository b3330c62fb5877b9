import type { BloodPressure, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type CandidateRow, candidateFields } from './candidate-row.js';
import type { TouchedDay } from './resolved-row.js';

export interface MeasurementCandidateRow extends CandidateRow {
  readonly metric: string;
  readonly recordId: string;
  readonly measuredAt: Date;
  readonly value: number | null;
  readonly parts: BloodPressure | null;
}

/** Measurements that each source holds of these days now; tombstones left out, and those of which nobody knows whose they are. */
export async function readMeasurementCandidates(
  sql: Sql,
  { tenantId, environment }: Scope,
  days: readonly TouchedDay[],
): Promise<MeasurementCandidateRow[]> {
  if (days.length === 0) return [];
  const { rows } = await sql.query<MeasurementCandidateRow & Record<string, unknown>>({
    name: 'resolved/read-measurement-candidates',
    text: `
      select ${candidateFields}, r.metric, r.record_id as "recordId", r.measured_at as "measuredAt", r.value, r.parts
      from unnest($3::text[], $4::text[], $5::text[]) k (user_id, metric, local_date)
      cross join lateral (
        select * from measurement_record
        where tenant_id = $1 and environment = $2 and user_id = k.user_id and local_date = k.local_date::date and metric = k.metric
          and not deleted and not ambiguous
        limit 1000) r`,
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
