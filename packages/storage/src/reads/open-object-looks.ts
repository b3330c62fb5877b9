import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Asks for a read of each of these documents, which are expected to be gone, with the patience of a sweep. One that is asked for already
 * stays as it is.
 * @param dueAt epoch milliseconds, not before.
 */
export async function openObjectLooks(
  sql: Sql,
  { tenantId, environment, connectionId, collection }: Scope & { readonly connectionId: string; readonly collection: string },
  documents: readonly string[],
  dueAt: number,
): Promise<void> {
  await sql.query({
    name: 'reads/open-object-looks',
    text: `
      insert into fetch_window as w
        (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end, lane, priority, expects,
         due_at)
      select e.tenant_id, e.environment, c.id, $4, 'object', d.id, d.id, abs(hashtext(c.id)::bigint) % e.fetch_lanes, 2, 'deleted',
        to_timestamp($6::float8 / 1000)
      from environment e
      join connection c on c.tenant_id = e.tenant_id and c.environment = e.environment and c.id = $3 and c.status = 'active'
      cross join unnest($5::text[]) as d (id)
      where e.tenant_id = $1 and e.environment = $2
      order by d.id
      for key share of c
      on conflict (tenant_id, environment, connection_id, collection, window_kind, window_start, window_end) do update set
        state = 'waiting', expects = 'deleted', attempts = 0, contradictions = 0, first_requested_at = clock_timestamp(),
        due_at = excluded.due_at
      where w.state in ('settled', 'dead')`,
    values: [tenantId, environment, connectionId, collection, pgArray('text', [...new Set(documents)]), dueAt],
  });
}
