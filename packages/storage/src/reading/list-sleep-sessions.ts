import type { Scope, SleepDetail, Source } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface SleepSessionRow {
  readonly connectionId: string;
  readonly provider: string;
  readonly recordId: string;
  readonly localDate: string;
  readonly source: Source;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly endUtcOffsetS: number | null;
  readonly detail: SleepDetail;
  readonly dateBasis: string;
  readonly dayModel: string;
  readonly utcOffsetS: number | null;
  readonly provisional: boolean;
  /** Microseconds since the epoch. */
  readonly version: number;
  readonly inferred: boolean;
  readonly revision: number;
}

export interface SleepFilter {
  readonly userId: string;
  readonly provider: string | undefined;
  readonly sourceId: string | undefined;
  /** Both inclusive; the day of waking. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Where the last page ended: date, record. */
  readonly after: readonly [string, string] | undefined;
  readonly limit: number;
}

/** What we hold now, oldest night first; tombstones left out. */
export async function listSleepSessions(sql: Sql, { tenantId, environment }: Scope, filter: SleepFilter): Promise<SleepSessionRow[]> {
  const { rows } = await sql.query<SleepSessionRow & Record<string, unknown>>({
    name: 'list-sleep-sessions',
    text: `
      select connection_id as "connectionId", provider, record_id as "recordId", local_date as "localDate", source,
        started_at as "startedAt", ended_at as "endedAt", end_utc_offset_s as "endUtcOffsetS", detail, date_basis as "dateBasis",
        day_model as "dayModel", utc_offset_s as "utcOffsetS", provisional, version, inferred, revision
      from session_record
      where tenant_id = $1 and environment = $2 and user_id = $3 and kind = 'sleep' and not deleted
        and ($4::text is null or provider = $4)
        and ($5::text is null or source_id = $5)
        and ($6::date is null or local_date >= $6)
        and ($7::date is null or local_date <= $7)
        and ($8::date is null or (local_date, record_id) > ($8, $9))
      order by local_date, record_id
      limit $10`,
    values: [
      tenantId,
      environment,
      filter.userId,
      filter.provider ?? null,
      filter.sourceId ?? null,
      filter.from ?? null,
      filter.to ?? null,
      ...(filter.after ?? [null, null]),
      filter.limit,
    ],
  });
  return rows;
}
