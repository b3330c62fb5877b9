import type { EventType, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface TakersOf extends Scope {
  readonly type: EventType;
  readonly userId: string;
}

/**
 * Enabled endpoints that take events of this type about this person, whatever they take of providers and metrics. Asked before the person is
 * erased, since an erasure also takes them out of the lists that endpoints are filtered by.
 */
export async function findTakers(sql: Sql, { tenantId, environment, type, userId }: TakersOf): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'events/find-takers',
    text: `
      select id from endpoint
      where tenant_id = $1 and environment = $2 and status = 'enabled'
        and (event_types is null or $3 = any (event_types)) and (user_ids is null or $4 = any (user_ids))
      order by id`,
    values: [tenantId, environment, type, userId],
  });
  return rows.map(({ id }) => id);
}
