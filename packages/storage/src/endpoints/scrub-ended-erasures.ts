import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/**
 * A `user.erased` event names the person until every endpoint was told. When nobody is left to be told, its data goes. Outbound
 * does so when it records the last result; this is for deliveries that end, or never begin, without being sent.
 */
export async function scrubEndedErasures(sql: Sql, { tenantId, environment }: Scope, eventIds: readonly string[]): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'scrub-ended-erasures',
    text: `
      update event e set data = null
      where e.tenant_id = $1 and e.environment = $2 and e.id = any ($3::text[]) and e.type = 'user.erased' and e.data is not null
        and not exists (
          select 1 from event_delivery d
          where d.tenant_id = e.tenant_id and d.environment = e.environment and d.event_id = e.id and d.state in ('pending', 'sending'))`,
    values: [tenantId, environment, pgArray('text', eventIds)],
  });
  return rowCount ?? 0;
}
