import type { EndpointSettings } from './endpoint-settings.js';

export interface EndpointRow extends EndpointSettings {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: string | null;
  readonly lastSuccessAt: Date | null;
  readonly failingSince: Date | null;
  readonly consecutiveFailures: number;
  /** `whpk_…` of each live secret that has one, newest first. */
  readonly publicKeys: string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** `select` list of {@link EndpointRow}, from `endpoint e`. */
export const endpointColumns = `id, url, description, event_types as "eventTypes", providers, metrics, user_ids as "userIds", payload,
        source_view as "sourceView", ordering, rate_per_second as "ratePerSecond", schedule_s as "scheduleS", status,
        disabled_reason as "disabledReason", last_success_at as "lastSuccessAt", failing_since as "failingSince",
        consecutive_failures as "consecutiveFailures", created_at as "createdAt", updated_at as "updatedAt",
        (select coalesce(array_agg(s.public_key order by s.created_at desc, s.id desc), '{}') from endpoint_secret s
          where s.tenant_id = e.tenant_id and s.environment = e.environment and s.endpoint_id = e.id and s.public_key is not null
            and (s.retires_at is null or s.retires_at > now())) as "publicKeys"`;
