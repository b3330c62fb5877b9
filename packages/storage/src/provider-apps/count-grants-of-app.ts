import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** What still needs the credentials of an app, which is held for update: connections of any status, and grants to be ended upstream. */
export async function countGrantsOfApp(
  sql: Sql,
  { tenantId, environment }: Scope,
  providerAppId: string,
): Promise<{ readonly connections: number; readonly revocations: number } | undefined> {
  const { rows } = await sql.query<{ connections: number; revocations: number }>({
    name: 'provider-apps/count-grants',
    text: `
      with held as (select id from provider_app where tenant_id = $1 and environment = $2 and id = $3 for update)
      select
        (select count(*)::int from connection where tenant_id = $1 and environment = $2 and provider_app_id = held.id) as connections,
        (select count(*)::int from upstream_revocation where tenant_id = $1 and environment = $2 and provider_app_id = held.id) as revocations
      from held`,
    values: [tenantId, environment, providerAppId],
  });
  return rows[0];
}
