import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * Removes the person from `user.erased` events that everybody has been told of: no delivery of theirs is owed any more. Call it
 * after {@link lockEvents}, in the transaction that ended the deliveries. @returns how many were scrubbed.
 */
export async function scrubToldErasures(sql: Sql, scope: Scope, eventIds: readonly string[]): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'scrub-told-erasures',
    text: `
      update event e set data = null
       where e.tenant_id = $1 and e.environment = $2 and e.id = any($3::text[]) and e.type = 'user.erased' and e.data is not null
         and not exists (select from event_delivery d
                          where d.tenant_id = $1 and d.environment = $2 and d.event_id = e.id and d.state in ('pending', 'sending'))`,
    values: [scope.tenantId, scope.environment, pgArray('text', eventIds)],
  });
  return rowCount ?? 0;
}
