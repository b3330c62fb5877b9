import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type DailyKey, type RecordOwner, type Removal, type Revised, byDailyKey } from './daily-row.js';

/** Marks rows as deleted, each only over an older version. The mark stays, so that a late read cannot bring the value back. */
export async function removeDaily(
  sql: Sql,
  owner: RecordOwner,
  rows: readonly Revised<DailyKey>[],
  { version, inferred, reason }: Removal,
): Promise<DailyKey[]> {
  if (rows.length === 0) return [];
  const sorted = [...rows].sort(byDailyKey);
  const { rows: written } = await sql.query<{ metric: DailyKey['metric']; local_date: string; source_id: string }>({
    name: 'records/remove-daily',
    text: `
      update daily_rollup t set deleted = true, delete_reason = $5, version = $6, inferred = $7, revision = k.revision,
        updated_at = clock_timestamp()
      from unnest($8::text[], $9::text[], $10::text[], $11::int8[]) as k (metric, local_date, source_id, revision)
      where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4
        and t.metric = k.metric and t.local_date = k.local_date::date and t.source_id = k.source_id
        and t.version < $6 and not t.deleted
      returning t.metric, t.local_date, t.source_id`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      reason,
      version,
      inferred,
      pgArray(
        'text',
        sorted.map((k) => k.metric),
      ),
      pgArray(
        'text',
        sorted.map((k) => k.localDate),
      ),
      pgArray(
        'text',
        sorted.map((k) => k.sourceId),
      ),
      pgArray(
        'int8',
        sorted.map((k) => k.revision),
      ),
    ],
  });
  return written.map((row) => ({ metric: row.metric, localDate: row.local_date, sourceId: row.source_id }));
}
