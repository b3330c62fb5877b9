import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import { toldOf } from './told-of.js';

const { provider, metric } = toldOf('e');

export interface PendingFilter {
  readonly endpointId: string;
  readonly eventTypes: readonly string[] | undefined;
  readonly userIds: readonly string[] | undefined;
  readonly providers: readonly string[] | undefined;
  readonly metrics: readonly string[] | undefined;
  /** When the event occurred; `to` is exclusive. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly limit: number;
}

/** Gives up what waits for an endpoint, oldest due first; what is being sent at this moment goes on. @returns the events. */
export async function cancelPending(sql: Sql, { tenantId, environment }: Scope, filter: PendingFilter): Promise<string[]> {
  const list = (values: readonly string[] | undefined) => (values === undefined ? null : pgArray('text', values));
  const { rows } = await sql.query<{ eventId: string }>({
    name: 'recoveries/cancel-pending',
    text: `
      with waiting as materialized (
        select d.event_id from event_delivery d
        join event e on e.tenant_id = d.tenant_id and e.environment = d.environment and e.id = d.event_id
        where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = $3
          and (d.state = 'pending' or d.state = 'sending' and d.next_attempt_at <= now())
          and ($4::text[] is null or e.type = any ($4)) and ($5::text[] is null or e.user_id = any ($5))
          and ($6::timestamptz is null or e.occurred_at >= $6) and ($7::timestamptz is null or e.occurred_at < $7)
        and ($9::text[] is null or ${provider} = any ($9)) and ($10::text[] is null or ${metric} = any ($10))
        order by d.next_attempt_at limit $8
        for update of d skip locked
      )
      update event_delivery d set state = 'cancelled', ended_at = now(), lease_token = null
      from waiting w
      where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = $3 and d.event_id = w.event_id
      returning d.event_id as "eventId"`,
    values: [
      tenantId,
      environment,
      filter.endpointId,
      list(filter.eventTypes),
      list(filter.userIds),
      filter.from ?? null,
      filter.to ?? null,
      filter.limit,
      list(filter.providers),
      list(filter.metrics),
    ],
  });
  return rows.map(({ eventId }) => eventId);
}
