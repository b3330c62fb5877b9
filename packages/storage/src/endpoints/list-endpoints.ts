import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { EndpointRow } from './find-endpoint.js';

export async function listEndpoints(sql: Sql, { tenantId, environment }: Scope, after: string, limit: number): Promise<EndpointRow[]> {
  const { rows } = await sql.query<EndpointRow & Record<string, unknown>>({
    name: 'list-endpoints',
    text: `
      select id, url, description, event_types as "eventTypes", status, disabled_reason as "disabledReason", schedule_s as "scheduleS",
        last_success_at as "lastSuccessAt", failing_since as "failingSince", consecutive_failures as "consecutiveFailures",
        created_at as "createdAt", updated_at as "updatedAt",
        (select coalesce(array_agg(s.public_key order by s.created_at desc, s.id desc), '{}') from endpoint_secret s
          where s.tenant_id = e.tenant_id and s.environment = e.environment and s.endpoint_id = e.id and s.public_key is not null
            and (s.retires_at is null or s.retires_at > now())) as "publicKeys"
      from endpoint e where tenant_id = $1 and environment = $2 and id > $3
      order by id limit $4`,
    values: [tenantId, environment, after, limit],
  });
  return rows;
}
