import type { Source } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecordOwner } from './daily-row.js';
import { type HeldSession, type SessionKey, bySessionKey } from './session-row.js';

export interface HeldSessionColumns {
  kind: 'sleep';
  source_id: string;
  record_id: string;
  local_date: string;
  version: number;
  content_hash: Buffer;
  deleted: boolean;
  provider_record_id: string;
  source: Source;
}

/** How the sessions of these keys stand; keys that have no row are left out. `lock`: hold them for the rest of the transaction. */
export async function readSessions(sql: Sql, owner: RecordOwner, keys: readonly SessionKey[], lock: boolean): Promise<HeldSession[]> {
  const sorted = [...keys].sort(bySessionKey);
  const { rows } = await sql.query<HeldSessionColumns>({
    name: lock ? 'records/read-sessions-locked' : 'records/read-sessions',
    text: `
      select r.kind, r.source_id, r.record_id, r.local_date, r.version, r.content_hash, r.deleted, r.provider_record_id, r.source
      from unnest($5::text[], $6::text[], $7::text[]) as k (kind, source_id, record_id)
      join session_record r on r.tenant_id = $1 and r.environment = $2 and r.user_id = $3 and r.provider = $4
        and r.kind = k.kind and r.source_id = k.source_id and r.record_id = k.record_id
      order by r.kind, r.source_id, r.record_id
      ${lock ? 'for update of r' : ''}`,
    values: [
      owner.tenantId,
      owner.environment,
      owner.userId,
      owner.provider,
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
    ],
  });
  return rows.map(toHeldSession);
}

export function toHeldSession(row: HeldSessionColumns): HeldSession {
  return {
    kind: row.kind,
    sourceId: row.source_id,
    recordId: row.record_id,
    localDate: row.local_date,
    version: row.version,
    contentHash: row.content_hash,
    deleted: row.deleted,
    providerRecordId: row.provider_record_id,
    source: row.source,
  };
}
