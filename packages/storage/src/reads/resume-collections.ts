import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { CollectionsOfConnection } from './read-rows-of-collections.js';

/** These collections may be read: what waited for that, or was given up for the want of it, is due at once, and its letter is closed. */
export async function resumeCollections(
  sql: Sql,
  { tenantId, environment, connectionId, collections }: CollectionsOfConnection,
): Promise<void> {
  await sql.query({
    name: 'reads/resume-collections',
    text: `
      with letters as (
        update dead_letter set closed_at = clock_timestamp(), close_reason = 'permitted'
        where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = any($4::text[])
          and code = 'forbidden' and closed_at is null
      )
      update fetch_window set state = 'waiting', due_at = clock_timestamp(), attempts = 0, contradictions = 0, lease_token = null,
        last_error = null
      where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = any($4::text[])
        and state in ('parked', 'dead') and last_error = 'forbidden'`,
    values: [tenantId, environment, connectionId, pgArray('text', collections)],
  });
}
