import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { type EndpointSettings, settingColumns, settingValues } from './endpoint-settings.js';

export interface EndpointChange extends Scope, EndpointSettings {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
}

/**
 * Writes the whole of what a customer may change. Enabling forgets the failures, so that the endpoint is not disabled again by
 * the next one; an endpoint that was disabled already keeps the reason it was disabled for.
 */
export async function updateEndpoint(sql: Sql, change: EndpointChange): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'update-endpoint',
    text: `
      update endpoint set ${settingColumns.map((name, at) => `${name} = $${at + 5}`).join(', ')}, status = $4, updated_at = now(),
        disabled_reason = case when $4 = 'enabled' then null when status = 'disabled' then disabled_reason else 'by_request' end,
        failing_since = case when $4 = 'enabled' and status = 'disabled' then null else failing_since end,
        consecutive_failures = case when $4 = 'enabled' and status = 'disabled' then 0 else consecutive_failures end
      where tenant_id = $1 and environment = $2 and id = $3`,
    values: [change.tenantId, change.environment, change.id, change.status, ...settingValues(change)],
  });
  return rowCount === 1;
}
