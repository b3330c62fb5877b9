import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Whether another connection still lives on this person's grant, which a revocation upstream would end as well. */
export async function subjectIsShared(
  sql: Sql,
  { tenantId, environment }: Scope,
  of: { providerAppId: string; subjectId: string; exceptConnectionId: string | undefined },
): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'subject-is-shared',
    text: `
      select 1 from connection
      where tenant_id = $1 and environment = $2 and provider_app_id = $3 and subject_id = $4
        and status in ('active', 'reauth_required') and id <> coalesce($5::text, '')
      limit 1`,
    values: [tenantId, environment, of.providerAppId, of.subjectId, of.exceptConnectionId ?? null],
  });
  return (rowCount ?? 0) > 0;
}
