import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { ResolvedRow } from './resolved-row.js';

/**
 * Puts these rows in the place of what is there; one that saw less of the changes never replaces one that saw more.
 * @param basis revision up to which every change was seen.
 * @returns how many were written.
 */
export async function writeResolved(
  sql: Sql,
  { tenantId, environment }: Scope,
  rows: readonly ResolvedRow[],
  basis: number,
): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = [...rows].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const texts = (of: (row: ResolvedRow) => string | null | undefined) => pgArray('text', sorted.map(of));
  const { rowCount } = await sql.query({
    name: 'resolved/write-resolved',
    text,
    values: [
      tenantId,
      environment,
      basis,
      texts((row) => row.userId),
      texts((row) => row.kind),
      texts((row) => row.metric),
      texts((row) => row.localDate),
      texts((row) => row.item),
      texts((row) => row.resolution.picked?.provider),
      texts((row) => row.resolution.picked?.sourceId),
      texts((row) => row.resolution.picked?.recordId),
      texts((row) => JSON.stringify(row.resolution)),
      pgArray(
        'int8',
        sorted.map((row) => row.revision),
      ),
      pgArray(
        'bytea',
        sorted.map((row) => row.contentHash),
      ),
      texts((row) => row.change),
      pgArray(
        'bool',
        sorted.map((row) => row.deleted),
      ),
      pgArray(
        'int8',
        sorted.map((row) => row.judgeAgainMs),
      ),
      pgArray(
        'float8',
        sorted.map((row) => row.computedValue),
      ),
    ],
  });
  return rowCount ?? 0;
}

function nameOf({ userId, kind, metric, localDate, item }: ResolvedRow): string {
  return JSON.stringify([userId, kind, metric, localDate, item]);
}

// A row of which only the grounds are others comes without a change, and keeps the one it has.
const text = `
  insert into resolved_record as t (tenant_id, environment, user_id, kind, metric, local_date, item, picked_provider, picked_source_id,
    picked_record_id, resolution, revision, basis, content_hash, change, deleted, judge_again_at, computed_value)
  select $1, $2, r.user_id, r.kind, r.metric, r.local_date::date, r.item, r.provider, r.source_id, r.record_id, r.resolution::jsonb,
    r.revision, $3, r.content_hash, coalesce(r.change, 'updated'), r.deleted, clock_timestamp() + r.again * interval '1 millisecond', r.computed
  from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::int8[],
    $14::bytea[], $15::text[], $16::bool[], $17::int8[], $18::float8[]) as r (user_id, kind, metric, local_date, item, provider, source_id, record_id,
    resolution, revision, content_hash, change, deleted, again, computed)
  on conflict (tenant_id, environment, user_id, kind, local_date, metric, item) do update set
    picked_provider = excluded.picked_provider, picked_source_id = excluded.picked_source_id, picked_record_id = excluded.picked_record_id,
    resolution = excluded.resolution, revision = greatest(t.revision, excluded.revision), basis = excluded.basis,
    content_hash = excluded.content_hash, deleted = excluded.deleted, judge_again_at = excluded.judge_again_at, computed_value = excluded.computed_value,
    change = case when excluded.revision > t.revision then excluded.change else t.change end,
    updated_at = case when excluded.revision > t.revision then clock_timestamp() else t.updated_at end
  where excluded.basis >= t.basis
  returning 1`;
