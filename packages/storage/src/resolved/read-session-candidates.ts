import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type CandidateRow, candidateFields } from './candidate-row.js';

export interface SessionCandidateRow extends CandidateRow {
  readonly kind: 'sleep' | 'workout';
  readonly recordId: string;
  readonly sport: string | null;
  readonly subSport: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

export interface SessionDay {
  readonly userId: string;
  readonly kind: 'sleep' | 'workout';
  readonly localDate: string;
}

/** Sessions that each source holds of these days now; tombstones left out. */
export async function readSessionCandidates(
  sql: Sql,
  { tenantId, environment }: Scope,
  days: readonly SessionDay[],
): Promise<SessionCandidateRow[]> {
  if (days.length === 0) return [];
  const { rows } = await sql.query<SessionCandidateRow & Record<string, unknown>>({
    name: 'resolved/read-session-candidates',
    text: `
      select ${candidateFields}, r.kind, r.record_id as "recordId", r.detail ->> 'sport' as sport, r.detail ->> 'subSport' as "subSport",
        r.started_at as "startedAt", r.ended_at as "endedAt"
      from unnest($3::text[], $4::text[], $5::text[]) k (user_id, kind, local_date)
      cross join lateral (
        select * from session_record
        where tenant_id = $1 and environment = $2 and user_id = k.user_id and kind = k.kind and local_date = k.local_date::date and not deleted
        limit 200) r`,
    values: [
      tenantId,
      environment,
      pgArray(
        'text',
        days.map((day) => day.userId),
      ),
      pgArray(
        'text',
        days.map((day) => day.kind),
      ),
      pgArray(
        'text',
        days.map((day) => day.localDate),
      ),
    ],
  });
  return rows;
}
