import type { Scope, SleepDetail, WorkoutDetail } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type RecordFilter, recordConditions } from './record-conditions.js';
import { type ShownDatum, shownDatum } from './shown-datum.js';

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
export type SessionFilter = Omit<RecordFilter, 'metric'>;

export const sessionColumns = `${shownDatum}, record_id as "recordId", started_at as "startedAt", ended_at as "endedAt",
        end_utc_offset_s as "endUtcOffsetS", detail`;

/** Nights that we hold now, user by user, oldest first; tombstones left out. A page ended at: user, date, provider, source, record. */
export function listSleepSessions(sql: Sql, scope: Scope, filter: SessionFilter): Promise<SleepShown[]> {
  return listSessions(sql, scope, 'sleep', filter);
}

/** Workouts that we hold now, user by user, oldest first; tombstones left out. A page ended as one of nights. */
export function listWorkouts(sql: Sql, scope: Scope, filter: SessionFilter): Promise<WorkoutShown[]> {
  return listSessions(sql, scope, 'workout', filter);
}

async function listSessions<Detail>(
  sql: Sql,
  scope: Scope,
  kind: 'sleep' | 'workout',
  { userId, provider, sourceId, from, to, after, limit }: SessionFilter,
): Promise<SessionShown<Detail>[]> {
  const order = ['user_id', 'local_date', 'provider', 'source_id', 'record_id'];
  const { mark, text, values } = recordConditions(scope, { userId, provider, sourceId, from, to, after, limit }, order, { 'kind =': kind });
  const { rows } = await sql.query<SessionShown<Detail> & Record<string, unknown>>({
    name: `list-sessions:${mark}`,
    text: `
      select ${sessionColumns}
      from session_record
      ${text}`,
    values,
  });
  return rows;
}
