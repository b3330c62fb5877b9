import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Draws `count` revisions. Call it first in a transaction, before any row is locked or written: the counter stays held until the
 * commit, so revisions become visible in the order of their numbers and transactions of one environment cannot deadlock.
 * @returns the first of them.
 */
export async function drawRevisions(sql: Sql, { tenantId, environment }: Scope, count: number): Promise<number> {
  const { rows } = await sql.query<{ last: number }>({
    name: 'draw-revisions',
    text: `
      update revision_counter set last_revision = last_revision + $3 where tenant_id = $1 and environment = $2
      returning last_revision as last`,
    values: [tenantId, environment, count],
  });
  if (!rows[0]) throw new Error('The environment has no revision counter');
  return rows[0].last - count + 1;
}
