import type { Scope } from '@tributary/domain';
import { endpointTakes } from '../events/endpoint-takes.js';
import { pgArray } from '../pg-array.js';
import type { RecoveryReach, RecoveryWish } from './recovery.js';
import { toldOf } from './told-of.js';

const { provider, metric } = toldOf('s');
const takes = endpointTakes('p', { type: 's.type', provider, metric, userId: 's.user_id', view: 's.view' });

/**
 * Two common table expressions: `scanned`, the next `$3` events in the order of revisions, and `matched`, what of them is to be sent to whom.
 * Parameters 1 to 14 are those of {@link recoveredValues}.
 *
 * What an event is of is read from its bytes, and only where somebody filters by it. Events about an endpoint were for those whom they name, so they are never missing elsewhere. Events
 * without data are about a person who was erased: there is nothing left to send.
 */
export const recoveredDeliveries = `
  scanned as materialized (
    select e.id, e.revision, e.type, e.user_id, e.view, e.occurred_at, e.data
    from event e
    where e.tenant_id = $1 and e.environment = $2 and e.revision > $4::int8 and e.revision <= $5::int8
    order by e.revision limit $3::int8
  ), matched as (
    select s.id as event_id, s.revision, s.user_id, p.id as endpoint_id
    from scanned s
    join endpoint p on p.tenant_id = $1 and p.environment = $2 and p.status = 'enabled' and ($6::text is null or p.id = $6)
    left join event_delivery d on d.tenant_id = $1 and d.environment = $2 and d.event_id = s.id and d.endpoint_id = p.id
    where s.data is not null and s.occurred_at >= $7::timestamptz and s.occurred_at < $8::timestamptz
      and ($9::text[] is null or s.type = any ($9)) and ($10::text[] is null or s.user_id = any ($10))
      and coalesce(d.state, 'missing') = any ($13::text[])
      and (d.state is not null or s.type not like 'endpoint.%')
      and ($11::text[] is null or ${provider} = any ($11)) and ($12::text[] is null or ${metric} = any ($12))
      and (d.state is not null and not $14::bool or (${takes}))
  )`;

/** @param look how many events are scanned at most; undefined: all. */
export function recoveredValues({ tenantId, environment }: Scope, reach: RecoveryReach, wish: RecoveryWish, look?: number): unknown[] {
  const list = (values: readonly string[] | undefined) => (values === undefined ? null : pgArray('text', values));
  return [
    tenantId,
    environment,
    look ?? null,
    reach.reached,
    reach.toRevision,
    wish.endpointId ?? null,
    wish.from,
    wish.to,
    list(wish.eventTypes),
    list(wish.userIds),
    list(wish.providers),
    list(wish.metrics),
    list(wish.states),
    wish.byFilters,
  ];
}
