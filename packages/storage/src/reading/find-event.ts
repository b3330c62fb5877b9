import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly revision: number;
  readonly occurredAt: Date;
  /** The bytes that are signed and sent under `data`; null once scrubbed. */
  readonly data: Buffer | null;
}

export async function findEvent(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<EventRow | undefined> {
  const { rows } = await sql.query<EventRow & Record<string, unknown>>({
    name: 'find-event',
    text: `
      select id, type, revision, occurred_at as "occurredAt", data
      from event where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
