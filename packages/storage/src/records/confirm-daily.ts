import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type DailyKey, type RecordOwner, byDailyKey } from './daily-row.js';

/** The same content (or the same absence) as the row's, seen at a newer version. */
export type Confirmation<Key> = Key & {
  readonly version: number;
  readonly inferred: boolean;
  readonly providerRecordId: string;
  /** Undefined: the row is deleted, and was seen to be. */
  readonly contentHash: Buffer | undefined;
};

/**
 * Raises the version of rows whose content was seen again. No revision: nobody is told.
 * @returns how many still had that content; fewer than were given means that someone wrote meanwhile.
 */
export async function confirmDaily(sql: Sql, owner: RecordOwner, rows: readonly Confirmation<DailyKey>[]): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = [...rows].sort(byDailyKey);
  const { rowCount } = await sql.query({
    name: 'records/confirm-daily',
    text: `
      with seen as materialized (
        select k.* from unnest($5::text[], $6::text[], $7::text[], $8::int8[], $9::bool[], $10::text[], $11::bytea[])
          as k (metric, local_date, source_id, version, inferred, provider_record_id, content_hash)
        join daily_rollup r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
          and r.metric = k.metric and r.local_date = k.local_date::date and r.source_id = k.source_id
        where case when k.content_hash is null then r.deleted else not r.deleted and r.content_hash = k.content_hash end
        order by r.metric, r.local_date, r.source_id
        for update of r
      ), raised as (
        update daily_rollup t set version = s.version, inferred = s.inferred, provider_record_id = s.provider_record_id
        from seen s
        where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4
          and t.metric = s.metric and t.local_date = s.local_date::date and t.source_id = s.source_id and t.version < s.version
      )
      select 1 from seen`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      pgArray(
        'text',
        sorted.map((r) => r.metric),
      ),
      pgArray(
        'text',
        sorted.map((r) => r.localDate),
      ),
      pgArray(
        'text',
        sorted.map((r) => r.sourceId),
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
        'text',
        sorted.map((r) => r.providerRecordId),
      ),
      pgArray(
        'bytea',
        sorted.map((r) => r.contentHash),
      ),
    ],
  });
  return rowCount ?? 0;
}
