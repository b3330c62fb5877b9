import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type DailyKey, type DailyRow, type RecordOwner, type Revised, byDailyKey } from './daily-row.js';

/**
 * Puts these rows in the place of what is there, each only over an older version. Never adds to a stored value.
 * @returns keys of the rows that were written; a row that is left out lost to what is there.
 */
export async function upsertDaily(sql: Sql, owner: RecordOwner, rows: readonly Revised<DailyRow>[]): Promise<DailyKey[]> {
  if (rows.length === 0) return [];
  const sorted = [...rows].sort(byDailyKey);
  const texts = (pick: (row: DailyRow) => string) => pgArray('text', sorted.map(pick));
  const { rows: written } = await sql.query<{ metric: DailyKey['metric']; local_date: string; source_id: string }>({
    name: 'records/upsert-daily',
    text,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      owner.connectionId,
      texts((r) => r.metric),
      texts((r) => r.localDate),
      texts((r) => r.sourceId),
      pgArray(
        'float8',
        sorted.map((r) => r.value),
      ),
      texts((r) => r.unit),
      pgArray(
        'bool',
        sorted.map((r) => r.implausible),
      ),
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
  return written.map((row) => ({ metric: row.metric, localDate: row.local_date, sourceId: row.source_id }));
}

const text = `
  insert into daily_rollup as t (tenant_id, environment, user_id, provider, connection_id, metric, local_date, source_id, value, unit,
    implausible, provider_record_id, source, date_basis, day_model, utc_offset_s, provisional, version, inferred, revision, content_hash)
  select $1, $2, $3, $4, $5, r.metric, r.local_date::date, r.source_id, r.value, r.unit, r.implausible, r.provider_record_id,
    r.source::jsonb, r.date_basis, r.day_model, r.utc_offset_s, r.provisional, r.version, r.inferred, r.revision, r.content_hash
  from unnest($6::text[], $7::text[], $8::text[], $9::float8[], $10::text[], $11::bool[], $12::text[], $13::text[], $14::text[],
    $15::text[], $16::int4[], $17::bool[], $18::int8[], $19::bool[], $20::int8[], $21::bytea[])
    as r (metric, local_date, source_id, value, unit, implausible, provider_record_id, source, date_basis, day_model, utc_offset_s,
      provisional, version, inferred, revision, content_hash)
  on conflict (tenant_id, environment, user_id, provider, metric, local_date, source_id) do update set
    connection_id = excluded.connection_id, value = excluded.value, unit = excluded.unit, implausible = excluded.implausible,
    provider_record_id = excluded.provider_record_id, source = excluded.source, date_basis = excluded.date_basis,
    day_model = excluded.day_model, utc_offset_s = excluded.utc_offset_s, provisional = excluded.provisional,
    version = excluded.version, inferred = excluded.inferred, revision = excluded.revision, content_hash = excluded.content_hash,
    deleted = false, delete_reason = null, updated_at = clock_timestamp()
  where excluded.version > t.version
  returning metric, local_date, source_id`;
