import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface Reach {
  /** The highest revision that is committed. */
  readonly head: number;
  /** Up to which the resolved view has seen every change. */
  readonly resolved: number;
}

/** How far what can be read has come. */
export async function readReach(sql: Sql, { tenantId, environment }: Scope): Promise<Reach> {
  const { rows } = await sql.query<Reach & Record<string, unknown>>({
    name: 'read-reach',
    text: `
      select c.last_revision as head, coalesce(p.upto, 0) as resolved
      from revision_counter c left join resolved_progress p using (tenant_id, environment)
      where c.tenant_id = $1 and c.environment = $2`,
    values: [tenantId, environment],
  });
  return rows[0] ?? { head: 0, resolved: 0 };
}
