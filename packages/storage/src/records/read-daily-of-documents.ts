import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { HeldDaily, RecordOwner } from './daily-row.js';
import { type HeldDailyColumns, toHeldDaily } from './read-daily.js';

/** Rows that came from these documents of the provider: all that a delete notice names. */
export async function readDailyOfDocuments(
  sql: Sql,
  owner: RecordOwner,
  documents: readonly string[],
  lock: boolean,
): Promise<HeldDaily[]> {
  const { rows } = await sql.query<HeldDailyColumns>({
    name: lock ? 'records/read-daily-of-documents-locked' : 'records/read-daily-of-documents',
    text: `
      select metric, local_date, source_id, version, content_hash, deleted, provider_record_id, source
      from daily_rollup
      where tenant_id = $1 and environment = $2 and connection_id = $3 and provider_record_id = any($4::text[])
      order by metric, local_date, source_id
      ${lock ? 'for update' : ''}`,
    values: [owner.tenantId, owner.environment, owner.connectionId, pgArray('text', documents)],
  });
  return rows.map(toHeldDaily);
}
