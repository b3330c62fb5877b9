import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: string[] | null;
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: string | null;
  readonly scheduleS: number[] | null;
  readonly lastSuccessAt: Date | null;
  readonly failingSince: Date | null;
  readonly consecutiveFailures: number;
  /** `whpk_…` of each live secret that has one, newest first. */
  readonly publicKeys: string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export async function findEndpoint(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<EndpointRow | undefined> {
  const { rows } = await sql.query<EndpointRow & Record<string, unknown>>({
    name: 'find-endpoint',
    text: `
      select id, url, description, event_types as "eventTypes", status, disabled_reason as "disabledReason", schedule_s as "scheduleS",
        last_success_at as "lastSuccessAt", failing_since as "failingSince", consecutive_failures as "consecutiveFailures",
        created_at as "createdAt", updated_at as "updatedAt",
        (select coalesce(array_agg(s.public_key order by s.created_at desc, s.id desc), '{}') from endpoint_secret s
          where s.tenant_id = e.tenant_id and s.environment = e.environment and s.endpoint_id = e.id and s.public_key is not null
            and (s.retires_at is null or s.retires_at > now())) as "publicKeys"
      from endpoint e where tenant_id = $1 and environment = $2 and id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0];
}
