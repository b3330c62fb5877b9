import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Takes from whoever is sending events of a person the right to go on: the lease holds another token, so nothing that comes of them is recorded,
 * and none is begun any more. The rows stay until the sender lets go of them, or the lease ends: that is how it is known when the last request is
 * over. Behind `holdOwedOfPerson`, in the transaction that deletes the events. @returns the events that are being sent.
 */
export async function takeLeasesAway(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<string[]> {
  const { rows } = await sql.query<{ eventId: string }>({
    name: 'take-leases-away',
    text: `
      update event_delivery d set lease_token = gen_random_uuid(), turn_of = null, turn = null
       where d.tenant_id = $1 and d.environment = $2 and d.lease_token is not null and d.next_attempt_at > now()
         and d.event_id in (select id from event where tenant_id = $1 and environment = $2 and user_id = $3)
      returning d.event_id as "eventId"`,
    values: [tenantId, environment, userId],
  });
  return [...new Set(rows.map(({ eventId }) => eventId))];
}
