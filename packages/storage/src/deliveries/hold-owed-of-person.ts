import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Holds what was owed of a person's events, behind `holdEventsOfPerson`: a claim that is being made at this moment is waited for, so the
 * statements that follow see it, and none is made behind it.
 */
export async function holdOwedOfPerson(sql: Sql, { tenantId, environment }: Scope, userId: string): Promise<void> {
  await sql.query({
    name: 'hold-owed-of-person',
    text: `
      select from event_delivery d
       where d.tenant_id = $1 and d.environment = $2
         and d.event_id in (select id from event where tenant_id = $1 and environment = $2 and user_id = $3)
       order by d.event_id, d.endpoint_id for update`,
    values: [tenantId, environment, userId],
  });
}
