import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface EventOfRevision {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: Date;
}

/** Undefined once it was dropped for its age. */
export async function findEventOfRevision(
  sql: Sql,
  { tenantId, environment }: Scope,
  revision: number,
): Promise<EventOfRevision | undefined> {
  const { rows } = await sql.query<EventOfRevision & Record<string, unknown>>({
    name: 'explain/event-of-revision',
    text: `
      select id, type, occurred_at as "occurredAt" from event
      where tenant_id = $1 and environment = $2 and revision = $3`,
    values: [tenantId, environment, revision],
  });
  return rows[0];
}
