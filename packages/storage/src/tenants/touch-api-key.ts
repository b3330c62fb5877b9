import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** Notes that a key was used, at most once a minute: a busy key would otherwise rewrite its row for every request. */
export async function touchApiKey(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<void> {
  await sql.query({
    name: 'touch-api-key',
    text: `
      update api_key set last_used_at = now()
      where tenant_id = $1 and environment = $2 and id = $3
        and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    values: [tenantId, environment, id],
  });
}
