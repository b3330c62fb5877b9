import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface ErasureRow {
  readonly id: string;
  readonly requestedAt: Date;
  readonly completedAt: Date | null;
  readonly counts: Record<string, number>;
}

export async function findErasure(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<ErasureRow | undefined> {
  const { rows } = await sql.query<ErasureRow & Record<string, unknown>>({
    name: 'find-erasure',
    text: `
      select id, requested_at as "requestedAt", completed_at as "completedAt", counts
      from erasure where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
