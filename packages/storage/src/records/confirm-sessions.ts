import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { Confirmation } from './confirm-daily.js';
import type { RecordOwner } from './daily-row.js';
import { type SessionKey, bySessionKey } from './session-row.js';

/**
 * Raises the version of sessions whose content was seen again. No revision: nobody is told.
 * @returns how many still had that content; fewer than were given means that someone wrote meanwhile.
 */
export async function confirmSessions(sql: Sql, owner: RecordOwner, rows: readonly Confirmation<SessionKey>[]): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = [...rows].sort(bySessionKey);
  const { rowCount } = await sql.query({
    name: 'records/confirm-sessions',
    text: `
      with seen as materialized (
        select k.* from unnest($5::text[], $6::text[], $7::text[], $8::int8[], $9::bool[], $10::text[], $11::bytea[])
          as k (kind, source_id, record_id, version, inferred, provider_record_id, content_hash)
        join session_record r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
          and r.kind = k.kind and r.source_id = k.source_id and r.record_id = k.record_id
        where case when k.content_hash is null then r.deleted else not r.deleted and r.content_hash = k.content_hash end
        order by r.kind, r.source_id, r.record_id
        for update of r
      ), raised as (
        update session_record t set version = s.version, inferred = s.inferred, provider_record_id = s.provider_record_id
        from seen s
        where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4
          and t.kind = s.kind and t.source_id = s.source_id and t.record_id = s.record_id and t.version < s.version
      )
      select 1 from seen`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
      pgArray(
        'text',
        sorted.map((r) => r.kind),
      ),
      pgArray(
        'text',
        sorted.map((r) => r.sourceId),
      ),
      pgArray(
        'text',
        sorted.map((r) => r.recordId),
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
