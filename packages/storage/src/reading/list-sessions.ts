import type { Scope, SleepDetail, WorkoutDetail } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type RecordFilter, type ShownDatum, shownDatum } from './shown-datum.js';

export interface SessionShown<Detail> extends ShownDatum {
  readonly recordId: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly endUtcOffsetS: number | null;
  readonly detail: Detail;
}

export type SleepShown = SessionShown<SleepDetail>;
export type WorkoutShown = SessionShown<WorkoutDetail>;

/** Days are those of waking, or of the start of a workout. */
export interface SessionFilter extends Omit<RecordFilter, 'metric'> {
  /** Where the last page ended: date, provider, source, record. */
  readonly after: readonly [string, string, string, string] | undefined;
}

/** Nights that we hold now, oldest first; tombstones left out. */
export function listSleepSessions(sql: Sql, scope: Scope, filter: SessionFilter): Promise<SleepShown[]> {
  return listSessions(sql, scope, 'sleep', filter);
}

/** Workouts that we hold now, oldest first; tombstones left out. */
export function listWorkouts(sql: Sql, scope: Scope, filter: SessionFilter): Promise<WorkoutShown[]> {
  return listSessions(sql, scope, 'workout', filter);
}

async function listSessions<Detail>(
  sql: Sql,
  { tenantId, environment }: Scope,
  kind: 'sleep' | 'workout',
  filter: SessionFilter,
): Promise<SessionShown<Detail>[]> {
  const { rows } = await sql.query<SessionShown<Detail> & Record<string, unknown>>({
    name: 'list-sessions',
    text: `
      select ${shownDatum}, record_id as "recordId", started_at as "startedAt", ended_at as "endedAt",
        end_utc_offset_s as "endUtcOffsetS", detail
      from session_record
      where tenant_id = $1 and environment = $2 and user_id = $3 and kind = $13 and not deleted
        and ($4::text is null or provider = $4)
        and ($5::text is null or source_id = $5)
        and ($6::date is null or local_date >= $6)
        and ($7::date is null or local_date <= $7)
        and ($8::date is null or (local_date, provider, source_id, record_id) > ($8, $9, $10, $11))
      order by local_date, provider, source_id, record_id
      limit $12`,
    values: [
      tenantId,
      environment,
      filter.userId,
      filter.provider ?? null,
      filter.sourceId ?? null,
      filter.from ?? null,
      filter.to ?? null,
      ...(filter.after ?? [null, null, null, null]),
      filter.limit,
      kind,
    ],
  });
  return rows;
}
