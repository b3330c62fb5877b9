import type { Sql } from '../sql.js';
import { type KeptEnvironment, retentionColumns } from './retention.js';

/** Every environment of every tenant, for the task that keeps to their settings. Ends of spans are of the database's clock. */
export async function listKeptEnvironments(sql: Sql): Promise<KeptEnvironment[]> {
  const { rows } = await sql.query<KeptEnvironment & Record<string, unknown>>({
    name: 'retention/list-environments',
    text: `
      select tenant_id as "tenantId", environment, ${retentionColumns}, bodies_cleared_to as "bodiesClearedTo",
        now() - make_interval(days => body_days) as "bodiesUntil"
      from environment order by tenant_id, environment`,
    values: [],
  });
  return rows;
}
