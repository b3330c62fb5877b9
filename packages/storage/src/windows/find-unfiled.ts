import type { EnvironmentName, Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Environments with notices that no window knows yet: hops over the index from one to the next. */
export async function findUnfiled(sql: Sql): Promise<Scope[]> {
  const { rows } = await sql.query<{ tenant_id: string; environment: EnvironmentName }>({
    name: 'windows/find-unfiled',
    text: `
      with recursive open as (
        (select tenant_id, environment from webhook_notice where status = 'received' order by tenant_id, environment limit 1)
        union all
        select next.* from open o cross join lateral (
          select n.tenant_id, n.environment from webhook_notice n
          where n.status = 'received' and (n.tenant_id, n.environment) > (o.tenant_id, o.environment)
          order by n.tenant_id, n.environment limit 1) next
      )
      select tenant_id, environment from open`,
    values: [],
  });
  return rows.map((row) => ({ tenantId: row.tenant_id, environment: row.environment }));
}
