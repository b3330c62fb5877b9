import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Deletes an app that nobody is connected through, with its secrets, its upkeep and the consents that were begun through it. */
export async function deleteProviderApp(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<void> {
  await sql.query({
    name: 'provider-apps/delete-provider-app',
    text: `
      with consents as (
        delete from connect_session where tenant_id = $1 and environment = $2 and provider_app_id = $3
      )
      delete from provider_app where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
}
