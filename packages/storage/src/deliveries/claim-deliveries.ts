import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface DeliveryClaim extends Scope {
  readonly endpointId: string;
  readonly limit: number;
  /** A fresh UUID; only results that bring it are recorded. */
  readonly leaseToken: string;
  readonly leaseMs: number;
}

export interface ClaimedDelivery {
  readonly eventId: string;
  /** Attempts recorded so far. */
  readonly attempts: number;
  readonly url: string;
  readonly scheduleS: number[] | null;
  /** These three are null when the event is gone: then there is nothing to send. `data` alone is null once scrubbed. */
  readonly type: string | null;
  readonly occurredAt: Date | null;
  readonly data: Buffer | null;
}

/**
 * Takes deliveries of one enabled endpoint that are due, also those whose lease ran out, for `leaseMs`. First attempts go before
 * retries, but one row in five is kept for retries when there are enough of both. Rows that another process is taking are skipped.
 *
 * Rows are found again by their place, and events one by one, by a range of one id, for whose order their own key alone serves: where the
 * statistics know nothing of a tenant, any other way reads all that its endpoint is owed for each row that is taken.
 *
 * Nobody waits for the disk: a claim that a crash of the database forgets is a delivery that is due again, which is what the end of its
 * lease would make of it. So it is to be a transaction of its own.
 */
export async function claimDeliveries(sql: Sql, claim: DeliveryClaim): Promise<ClaimedDelivery[]> {
  const { rows } = await sql.query<ClaimedDelivery & { retry: boolean; place: number }>({
    name: 'claim-deliveries',
    text: `
      with target as (
        select url, schedule_s, set_config('synchronous_commit', 'off', true) as unsynced
          from endpoint where tenant_id = $1 and environment = $2 and id = $3 and status = 'enabled'
      ), first_tries as materialized (
        select ctid as at, event_id, next_attempt_at from event_delivery
         where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 0
           and next_attempt_at <= now() and exists (select from target)
         order by next_attempt_at limit $4 for update skip locked
      ), retries as materialized (
        select ctid as at, event_id, next_attempt_at from event_delivery
         where tenant_id = $1 and environment = $2 and endpoint_id = $3 and state in ('pending', 'sending') and least(attempts, 1) = 1
           and next_attempt_at <= now() and exists (select from target)
         order by next_attempt_at limit $4 for update skip locked
      ), ranked as (
        select at, event_id, false as retry, row_number() over (order by next_attempt_at, event_id) as place from first_tries
        union all
        select at, event_id, true, 4 * row_number() over (order by next_attempt_at, event_id) from retries
      ), chosen as (
        select at, event_id, retry, place from ranked order by place, retry limit $4
      )
      update event_delivery d
         set state = 'sending', lease_token = $5::uuid, next_attempt_at = now() + $6 * interval '1 millisecond'
        from chosen c
        cross join target t
        left join lateral (
          select type, occurred_at, data from event
           where tenant_id = $1 and environment = $2 and id >= c.event_id and id <= c.event_id order by id limit 1
        ) e on true
       where d.ctid = c.at and t.unsynced = 'off'
      returning d.event_id as "eventId", d.attempts, t.url, t.schedule_s as "scheduleS", e.type, e.occurred_at as "occurredAt",
                e.data, c.retry, c.place`,
    values: [claim.tenantId, claim.environment, claim.endpointId, claim.limit, claim.leaseToken, claim.leaseMs],
  });
  return rows
    .sort((a, b) => Number(a.retry) - Number(b.retry) || a.place - b.place)
    .map(({ retry: _retry, place: _place, ...delivery }) => delivery);
}
