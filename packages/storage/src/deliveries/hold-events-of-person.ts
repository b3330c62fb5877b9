import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Holds all events of a person to the end of the transaction: no replay makes more of them due meanwhile. */
export async function holdEventsOfPerson(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<void> {
  await sql.query({
    name: 'hold-events-of-person',
    text: 'select from event where tenant_id = $1 and environment = $2 and user_id = $3 order by id for update',
    values: [tenantId, environment, userId],
  });
}
