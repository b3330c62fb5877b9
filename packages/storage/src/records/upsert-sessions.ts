import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecordOwner, Revised } from './daily-row.js';
import { type SessionKey, type SessionRow, bySessionKey } from './session-row.js';

/**
 * Puts these sessions in the place of what is there, each only over an older version. A night that moved to another date stays the
 * same row.
 * @returns keys of the rows that were written; a row that is left out lost to what is there.
 */
export async function upsertSessions(sql: Sql, owner: RecordOwner, rows: readonly Revised<SessionRow>[]): Promise<SessionKey[]> {
  if (rows.length === 0) return [];
  const sorted = [...rows].sort(bySessionKey);
  const texts = (pick: (row: SessionRow) => string) => pgArray('text', sorted.map(pick));
  const { rows: written } = await sql.query<{ kind: 'sleep'; source_id: string; record_id: string }>({
    name: 'records/upsert-sessions',
    text,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      owner.connectionId,
      texts((r) => r.kind),
      texts((r) => r.sourceId),
      texts((r) => r.recordId),
      texts((r) => r.localDate),
      texts((r) => r.startedAt),
      texts((r) => r.endedAt),
      pgArray(
        'int4',
        sorted.map((r) => r.endUtcOffsetS),
      ),
      texts((r) => JSON.stringify(r.detail)),
      texts((r) => r.providerRecordId),
      texts((r) => JSON.stringify(r.source)),
      texts((r) => r.dateBasis),
      texts((r) => r.dayModel),
      pgArray(
        'int4',
        sorted.map((r) => r.utcOffsetS),
      ),
      pgArray(
        'bool',
        sorted.map((r) => r.provisional),
      ),
      pgArray(
        'int8',
        sorted.map((r) => r.version),
      ),
      pgArray(
        'bool',
        sorted.map((r) => r.inferred),
      ),
      pgArray(
        'int8',
        sorted.map((r) => r.revision),
      ),
      pgArray(
        'bytea',
        sorted.map((r) => r.contentHash),
      ),
    ],
  });
  return written.map((row) => ({ kind: row.kind, sourceId: row.source_id, recordId: row.record_id }));
}

const text = `
  insert into session_record as t (tenant_id, environment, user_id, provider, connection_id, kind, source_id, record_id, local_date,
    started_at, ended_at, end_utc_offset_s, detail, provider_record_id, source, date_basis, day_model, utc_offset_s, provisional,
    version, inferred, revision, content_hash)
  select $1, $2, $3, $4, $5, r.kind, r.source_id, r.record_id, r.local_date::date, r.started_at::timestamptz, r.ended_at::timestamptz,
    r.end_utc_offset_s, r.detail::jsonb, r.provider_record_id, r.source::jsonb, r.date_basis, r.day_model, r.utc_offset_s,
    r.provisional, r.version, r.inferred, r.revision, r.content_hash
  from unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::int4[], $13::text[], $14::text[],
    $15::text[], $16::text[], $17::text[], $18::int4[], $19::bool[], $20::int8[], $21::bool[], $22::int8[], $23::bytea[])
    as r (kind, source_id, record_id, local_date, started_at, ended_at, end_utc_offset_s, detail, provider_record_id, source,
      date_basis, day_model, utc_offset_s, provisional, version, inferred, revision, content_hash)
  on conflict (tenant_id, environment, user_id, provider, kind, source_id, record_id) do update set
    connection_id = excluded.connection_id, local_date = excluded.local_date, started_at = excluded.started_at,
    ended_at = excluded.ended_at, end_utc_offset_s = excluded.end_utc_offset_s, detail = excluded.detail,
    provider_record_id = excluded.provider_record_id, source = excluded.source, date_basis = excluded.date_basis,
    day_model = excluded.day_model, utc_offset_s = excluded.utc_offset_s, provisional = excluded.provisional,
    version = excluded.version, inferred = excluded.inferred, revision = excluded.revision, content_hash = excluded.content_hash,
    deleted = false, delete_reason = null, updated_at = clock_timestamp()
  where excluded.version > t.version
  returning kind, source_id, record_id`;
