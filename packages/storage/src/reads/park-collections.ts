import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { CollectionsOfConnection } from './read-rows-of-collections.js';

/**
 * Nothing of these collections is read until they are granted again, and what is being read is not written: its lease is taken away.
 * What only a sweep wished to see goes; what a backfill asks for is left to it, since it ends there.
 */
export async function parkCollections(
  sql: Sql,
  { tenantId, environment, connectionId, collections }: CollectionsOfConnection,
): Promise<void> {
  await sql.query({
    name: 'reads/park-collections',
    text: `
      with swept as (
        delete from fetch_window
        where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = any($4::text[])
          and state in ('waiting', 'fetching') and priority = 2 and backfill_id is null
      ), backfilled as (
        update fetch_window set state = 'waiting', lease_token = null, dirty = false, due_at = clock_timestamp()
        where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = any($4::text[])
          and state = 'fetching' and backfill_id is not null
      )
      update fetch_window set state = 'parked', lease_token = null, dirty = false, last_error = 'forbidden'
      where tenant_id = $1 and environment = $2 and connection_id = $3 and collection = any($4::text[])
        and state in ('waiting', 'fetching') and priority <> 2 and backfill_id is null`,
    values: [tenantId, environment, connectionId, pgArray('text', collections)],
  });
}
