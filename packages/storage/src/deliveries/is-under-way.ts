import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Whether a request for one of these events may be under way: somebody claimed its delivery, has not let go of it, and the lease has not ended. */
export async function isUnderWay(sql: Sql, { tenantId, environment }: Scope, eventIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql.query<{ is: boolean }>({
    name: 'is-under-way',
    text: `
      select exists (select from event_delivery
                      where tenant_id = $1 and environment = $2 and event_id = any($3::text[]) and lease_token is not null
                        and next_attempt_at > clock_timestamp()) as is`,
    values: [tenantId, environment, pgArray('text', eventIds)],
  });
  return rows[0]?.is === true;
}
