import type { DailyMetric, Source } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { type DailyKey, type HeldDaily, type RecordOwner, byDailyKey } from './daily-row.js';

export interface HeldDailyColumns {
  metric: DailyMetric;
  local_date: string;
  source_id: string;
  version: number;
  content_hash: Buffer;
  deleted: boolean;
  provider_record_id: string;
  source: Source;
}

/** How the rows of these keys stand; keys that have no row are left out. `lock`: hold them for the rest of the transaction. */
export async function readDaily(sql: Sql, owner: RecordOwner, keys: readonly DailyKey[], lock: boolean): Promise<HeldDaily[]> {
  const sorted = [...keys].sort(byDailyKey);
  const { rows } = await sql.query<HeldDailyColumns>({
    name: lock ? 'records/read-daily-locked' : 'records/read-daily',
    text: `
      select r.metric, r.local_date, r.source_id, r.version, r.content_hash, r.deleted, r.provider_record_id, r.source
      from unnest($5::text[], $6::text[], $7::text[]) as k (metric, local_date, source_id)
      join daily_rollup r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
        and r.metric = k.metric and r.local_date = k.local_date::date and r.source_id = k.source_id
      order by r.metric, r.local_date, r.source_id
      ${lock ? 'for update of r' : ''}`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
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
    ],
  });
  return rows.map(toHeldDaily);
}

export function toHeldDaily(row: HeldDailyColumns): HeldDaily {
  return {
    metric: row.metric,
    localDate: row.local_date,
    sourceId: row.source_id,
    version: row.version,
    contentHash: row.content_hash,
    deleted: row.deleted,
    providerRecordId: row.provider_record_id,
    source: row.source,
  };
}
