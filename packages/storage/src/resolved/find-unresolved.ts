import type { EnvironmentName, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Environments whose resolved view is behind, or has rows that are to be looked at again. */
export async function findUnresolved(sql: Sql): Promise<Scope[]> {
  const { rows } = await sql.query<{ tenant_id: string; environment: EnvironmentName }>({
    name: 'resolved/find-unresolved',
    text: `
      select c.tenant_id, c.environment from revision_counter c
      left join resolved_progress p on p.tenant_id = c.tenant_id and p.environment = c.environment
      where c.last_revision > coalesce(p.upto, 0)
      union
      select tenant_id, environment from (
        select tenant_id, environment from resolved_record where judge_again_at <= statement_timestamp() order by judge_again_at limit 500) a
      union
      select tenant_id, environment from resolved_renewal`,
    values: [],
  });
  return rows.map((row) => ({ tenantId: row.tenant_id, environment: row.environment }));
}
