import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Holds events to the end of the transaction, so that of two endpoints that finish an event at once, the second sees the first. */
export async function lockEvents(sql: Sql, scope: Scope, eventIds: readonly string[]): Promise<void> {
  await sql.query({
    name: 'lock-events',
    text: 'select from event where tenant_id = $1 and environment = $2 and id = any($3::text[]) order by id for update',
    values: [scope.tenantId, scope.environment, pgArray('text', eventIds)],
  });
}
