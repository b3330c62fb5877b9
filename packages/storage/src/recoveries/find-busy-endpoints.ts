import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Those of the endpoints that have more than `room` deliveries due. No more rows than that are looked at, however many wait. */
export async function findBusyEndpoints(
  sql: Sql,
  { tenantId, environment }: Scope,
  endpointIds: readonly string[],
  room: number,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'recoveries/find-busy-endpoints',
    text: `
      select p.id from unnest($3::text[]) as p (id)
      where (select count(*) from (
        (select from event_delivery d
         where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = p.id and d.state in ('pending', 'sending')
           and least(d.attempts, 1) = 0 and d.next_attempt_at <= now() limit $4 + 1)
        union all
        (select from event_delivery d
         where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = p.id and d.state in ('pending', 'sending')
           and least(d.attempts, 1) = 1 and d.next_attempt_at <= now() limit $4 + 1)) due) > $4`,
    values: [tenantId, environment, pgArray('text', endpointIds), room],
  });
  return rows.map(({ id }) => id);
}
