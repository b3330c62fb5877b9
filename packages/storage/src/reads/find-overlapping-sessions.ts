import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { RecordOwner } from '../records/record-row.js';
import type { Sql } from '../sql.js';

/** A session in time. */
export interface SessionInTime {
  readonly kind: 'sleep' | 'workout';
  readonly sourceId: string;
  readonly recordId: string;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
}

export interface HeldSession extends SessionInTime {
  readonly localDate: string;
  /** Since when it stands like this at the latest, epoch milliseconds. */
  readonly freshTo: number;
}

/** Live sessions of other ids that share time with any of these, of the same kind and source. */
export async function findOverlappingSessions(
  sql: Sql,
  { tenantId, environment, userId, provider }: Scope & RecordOwner,
  sessions: readonly SessionInTime[],
): Promise<HeldSession[]> {
  if (sessions.length === 0) return [];
  const text = (name: keyof SessionInTime) =>
    pgArray(
      'text',
      sessions.map((session) => session[name]),
    );
  const { rows } = await sql.query<Omit<HeldSession, 'startedAt' | 'endedAt'> & { startedAt: Date; endedAt: Date }>({
    name: 'reads/overlapping-sessions',
    text: `
      select distinct r.kind, r.source_id as "sourceId", r.record_id as "recordId", r.started_at as "startedAt", r.ended_at as "endedAt",
        r.local_date as "localDate", r.fresh_to as "freshTo"
      from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) as k (kind, source_id, record_id, started_at, ended_at)
      join session_record r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
        and r.kind = k.kind and r.source_id = k.source_id and r.record_id <> k.record_id and not r.deleted
        -- A session is at most a few days long: the index by date finds those that can share time with it.
        and r.local_date between k.started_at::timestamptz::date - 3 and k.ended_at::timestamptz::date + 3
        and r.started_at < k.ended_at::timestamptz and r.ended_at > k.started_at::timestamptz`,
    values: [tenantId, environment, userId, provider, text('kind'), text('sourceId'), text('recordId'), text('startedAt'), text('endedAt')],
  });
  return rows.map((row) => ({ ...row, startedAt: row.startedAt.toISOString(), endedAt: row.endedAt.toISOString() }));
}
