import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type EndpointSettings, settingColumns, settingValues } from './endpoint-settings.js';

export interface EndpointChange extends Scope, EndpointSettings {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
}

/**
 * Writes the whole of what a customer may change. Enabling forgets the failures, so that the endpoint is not disabled again by
 * the next one, and so does another address: whoever stands there did not fail, and is not left to rest. An endpoint that was disabled
 * already keeps the reason it was disabled for.
 */
export async function updateEndpoint(sql: Sql, change: EndpointChange): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'update-endpoint',
    text: `
      with anew as (
        select id from endpoint
         where tenant_id = $1 and environment = $2 and id = $3 and (url <> $5 or status = 'disabled' and $4 = 'enabled')
      ), woken as (
        update endpoint_pace p set concurrency = 16, failures = 0, rests = 0, rests_until = null
          from anew where p.tenant_id = $1 and p.environment = $2 and p.endpoint_id = anew.id
      )
      update endpoint set ${settingColumns.map((name, at) => `${name} = $${at + 5}`).join(', ')}, status = $4, updated_at = now(),
        disabled_reason = case when $4 = 'enabled' then null when status = 'disabled' then disabled_reason else 'by_request' end,
        failing_since = case when exists (select from anew) then null else failing_since end,
        consecutive_failures = case when exists (select from anew) then 0 else consecutive_failures end
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [change.tenantId, change.environment, change.id, change.status, ...settingValues(change)],
  });
  return rowCount === 1;
}
