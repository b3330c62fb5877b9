import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Whether any endpoint of the environment wants to be told of the resolved view, also one that is disabled and may be enabled again. */
export async function viewIsWanted(sql: Sql, { tenantId, environment }: Scope): Promise<boolean> {
  const { rows } = await sql.query<{ wanted: boolean }>({
    name: 'resolved/view-is-wanted',
    text: `select exists (select from endpoint where tenant_id = $1 and environment = $2 and source_view <> 'source') as wanted`,
    values: [tenantId, environment],
  });
  return rows[0]?.wanted === true;
}
