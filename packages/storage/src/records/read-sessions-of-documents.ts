import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { RecordOwner } from './daily-row.js';
import { type HeldSessionColumns, toHeldSession } from './read-sessions.js';
import type { HeldSession } from './session-row.js';

/** Sessions that came from these documents of the provider: all that a delete notice names. */
export async function readSessionsOfDocuments(
  sql: Sql,
  owner: RecordOwner,
  documents: readonly string[],
  lock: boolean,
): Promise<HeldSession[]> {
  const { rows } = await sql.query<HeldSessionColumns>({
    name: lock ? 'records/read-sessions-of-documents-locked' : 'records/read-sessions-of-documents',
    text: `
      select kind, source_id, record_id, local_date, version, content_hash, deleted, provider_record_id, source
      from session_record
      where tenant_id = $1 and environment = $2 and connection_id = $3 and provider_record_id = any($4::text[])
      order by kind, source_id, record_id
      ${lock ? 'for update' : ''}`,
    values: [owner.tenantId, owner.environment, owner.connectionId, pgArray('text', documents)],
  });
  return rows.map(toHeldSession);
}
