import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Whether any connection of the app, of whatever status but ended, is this person's. */
export async function subjectIsHeld(
  sql: Sql,
  { tenantId, environment }: Scope,
  providerAppId: string,
  subjectId: string,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'subject-is-held',
    text: `
      select 1 from connection
      where subject_id = $4 and provider_app_id = $3 and tenant_id = $1 and environment = $2 and status in ('active', 'reauth_required')
      limit 1`,
    values: [tenantId, environment, providerAppId, subjectId],
  });
  return (rowCount ?? 0) > 0;
}
