import type { Sql } from '../sql.js';
import type { ClaimedDelivery, DeliveryClaim } from './claim-deliveries.js';

export interface TurnsClaim extends DeliveryClaim {
  /** Due deliveries that are looked at; those whose turn it is not are put off and not seen again until it is. */
  readonly looksAt: number;
  /** What waits for its turn is looked at again after so long at the latest; usually it is called earlier, by `releaseTurns`. */
  readonly putOffMs: number;
}

/**
 * As `claimDeliveries`, of an ordered endpoint: of each person at most one delivery, the one of the lowest revision that is not done, and
 * none while another of theirs is being sent. What must wait for its turn is put off, at no attempt. Deliveries of nobody go as they come.
 *
 * In one transaction behind {@link lockTurns} and {@link fileTurns}: two claims at once could each take another delivery of one person.
 */
export async function claimTurns(sql: Sql, claim: TurnsClaim): Promise<{ claimed: ClaimedDelivery[]; putOff: number }> {
  const { rows } = await sql.query<ClaimedDelivery & { taken: boolean; turn: number }>({
    name: 'claim-turns',
    text: `
      with target as (
        select url, schedule_s from endpoint where tenant_id = $1 and environment = $2 and id = $3 and status = 'enabled'
      ), first_tries as materialized (
        select ctid as at, event_id, turn_of, turn, next_attempt_at from event_delivery
         where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 0
           and next_attempt_at <= now() and turn is not null and exists (select from target)
         order by next_attempt_at limit $7 for update skip locked
      ), retries as materialized (
        select ctid as at, event_id, turn_of, turn, next_attempt_at from event_delivery
         where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 1
           and next_attempt_at <= now() and turn is not null and exists (select from target)
         order by next_attempt_at limit $7 for update skip locked
      ), due as (
        select * from first_tries union all select * from retries
      ), first_of as materialized (
        select distinct on (coalesce(turn_of, event_id)) * from due order by coalesce(turn_of, event_id), turn, event_id
      ), heads as materialized (
        select * from first_of f
         where f.turn_of is null
            or not exists (select from event_delivery o
                            where o.tenant_id = $1 and o.environment = $2 and o.endpoint_id = $3 and o.state in ('pending', 'sending')
                              and o.turn_of = f.turn_of and o.turn < f.turn)
      ), free as (
        select * from heads h
         where h.turn_of is null
            or not exists (select from event_delivery o
                            where o.tenant_id = $1 and o.environment = $2 and o.endpoint_id = $3 and o.state = 'sending'
                              and o.turn_of = h.turn_of and o.next_attempt_at > now() and o.event_id <> h.event_id)
      ), chosen as (
        select at from free order by next_attempt_at, turn limit $4
      ), judged as (
        -- A head that finds no room is neither taken nor put off.
        select due.at, due.event_id, chosen.at is not null as taken
          from due left join chosen on chosen.at = due.at
         where chosen.at is not null or due.at not in (select at from free)
      )
      update event_delivery d
         set state = case when j.taken then 'sending' else 'pending' end,
             lease_token = case when j.taken then $5::uuid end,
             awaits_turn = not j.taken,
             next_attempt_at = now() + case when j.taken then $6::float8 else $8::float8 end * interval '1 millisecond'
        from judged j
        cross join target t
        left join lateral (
          select type, occurred_at, data from event
           where tenant_id = $1 and environment = $2 and id >= j.event_id and id <= j.event_id and j.taken order by id limit 1
        ) e on true
       where d.ctid = j.at
      returning d.event_id as "eventId", d.attempts, t.url, t.schedule_s as "scheduleS", e.type, e.occurred_at as "occurredAt", e.data,
                j.taken, d.turn`,
    values: [
      claim.tenantId,
      claim.environment,
      claim.endpointId,
      claim.limit,
      claim.leaseToken,
      claim.leaseMs,
      claim.looksAt,
      claim.putOffMs,
    ],
  });
  const taken = rows.filter((row) => row.taken).sort((a, b) => a.turn - b.turn);
  return { claimed: taken.map(({ taken: _taken, turn: _turn, ...delivery }) => delivery), putOff: rows.length - taken.length };
}
