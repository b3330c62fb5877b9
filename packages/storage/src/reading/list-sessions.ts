import type { Scope, SleepDetail, Source, WorkoutDetail } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface SessionShown<Detail> {
  readonly connectionId: string;
  readonly provider: string;
  readonly sourceId: string;
  readonly recordId: string;
  readonly localDate: string;
  readonly source: Source;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly endUtcOffsetS: number | null;
  readonly detail: Detail;
  readonly dateBasis: string;
  readonly dayModel: string;
  readonly utcOffsetS: number | null;
  readonly provisional: boolean;
  /** Microseconds since the epoch. */
  readonly version: number;
  readonly inferred: boolean;
  readonly revision: number;
}

export type SleepShown = SessionShown<SleepDetail>;
export type WorkoutShown = SessionShown<WorkoutDetail>;

export interface SessionFilter {
  readonly userId: string;
  readonly provider: string | undefined;
  readonly sourceId: string | undefined;
  /** Both inclusive; the day of waking, or of the start of a workout. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Where the last page ended: date, provider, source, record. */
  readonly after: readonly [string, string, string, string] | undefined;
  readonly limit: number;
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
      select connection_id as "connectionId", provider, record_id as "recordId", local_date as "localDate", source_id as "sourceId", source,
        started_at as "startedAt", ended_at as "endedAt", end_utc_offset_s as "endUtcOffsetS", detail, date_basis as "dateBasis",
        day_model as "dayModel", utc_offset_s as "utcOffsetS", provisional, version, inferred, revision
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
