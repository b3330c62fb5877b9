import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecordOwner, Removal, Revised } from './daily-row.js';
import { type SessionKey, bySessionKey } from './session-row.js';

/** Marks sessions as deleted, each only over an older version. The mark stays, so that a late read cannot bring the session back. */
export async function removeSessions(
  sql: Sql,
  owner: RecordOwner,
  rows: readonly Revised<SessionKey>[],
  { version, inferred, reason }: Removal,
): Promise<SessionKey[]> {
  if (rows.length === 0) return [];
  const sorted = [...rows].sort(bySessionKey);
  const { rows: written } = await sql.query<{ kind: 'sleep'; source_id: string; record_id: string }>({
    name: 'records/remove-sessions',
    text: `
      update session_record t set deleted = true, delete_reason = $5, version = $6, inferred = $7, revision = k.revision,
        updated_at = clock_timestamp()
      from unnest($8::text[], $9::text[], $10::text[], $11::int8[]) as k (kind, source_id, record_id, revision)
      where t.tenant_id = $1 and t.environment = $2 and t.user_id = $3 and t.provider = $4
        and t.kind = k.kind and t.source_id = k.source_id and t.record_id = k.record_id
        and t.version < $6 and not t.deleted
      returning t.kind, t.source_id, t.record_id`,
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
        sorted.map((k) => k.kind),
      ),
      pgArray(
        'text',
        sorted.map((k) => k.sourceId),
      ),
      pgArray(
        'text',
        sorted.map((k) => k.recordId),
      ),
      pgArray(
        'int8',
        sorted.map((k) => k.revision),
      ),
    ],
  });
  return written.map((row) => ({ kind: row.kind, sourceId: row.source_id, recordId: row.record_id }));
}
