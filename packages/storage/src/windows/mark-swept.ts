import type { Sql } from '../sql.js';
import type { WindowKey } from './window-key.js';

/** A sweep has read the collection to its end: when, is shown on the connection. In the transaction that settles the window. */
export async function markSwept(sql: Sql, { tenantId, environment, connectionId, collection }: WindowKey): Promise<void> {
  await sql.query({
    name: 'windows/mark-swept',
    text: `
      insert into collection_sweep (tenant_id, environment, connection_id, collection, last_swept_at)
      values ($1, $2, $3, $4, clock_timestamp())
      on conflict (tenant_id, environment, connection_id, collection) do update set last_swept_at = excluded.last_swept_at`,
    values: [tenantId, environment, connectionId, collection],
  });
}
