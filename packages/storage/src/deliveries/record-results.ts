import type { HealthChange, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** One HTTP try. */
export interface DeliveryAttempt {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>> | undefined;
  readonly responseBody: Buffer | undefined;
}

/** What becomes of one claimed delivery. Without an attempt it was not tried: given back (`pending`) or `cancelled`. */
export interface DeliveryResult {
  readonly eventId: string;
  readonly state: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** For `pending`: milliseconds from now until it is due. */
  readonly waitMs: number;
  readonly attempt: DeliveryAttempt | undefined;
}

export interface SliceResults extends Scope {
  readonly endpointId: string;
  readonly leaseToken: string;
  readonly results: readonly DeliveryResult[];
  readonly health: HealthChange;
}

export interface RecordedSlice {
  /** Deliveries that were still ours; fewer than given when a lease was lost, or a person was erased meanwhile. */
  readonly recorded: number;
  /** Health of the endpoint afterwards; null when the endpoint is gone or nothing was tried. */
  readonly failingSince: Date | null;
  readonly consecutiveFailures: number | null;
  readonly lastSuccessAt: Date | null;
}

/**
 * Writes the results of one slice: state and next time of each delivery still held under the lease, its attempt, and what the
 * attempts say of the endpoint's health. Everything of a delivery that is no longer ours is dropped.
 *
 * An answer may repeat what was sent, so it belongs to the person: the connections are taken as erasure demands, and nothing is
 * written of who is gone.
 */
export async function recordResults(sql: Sql, slice: SliceResults): Promise<RecordedSlice> {
  const results = [...slice.results].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  const attempts = results.map((result) => result.attempt);
  const { health } = slice;
  const { rows } = await sql.query<RecordedSlice>({
    name: 'record-results',
    text: `
      with result as (
        select * from unnest($5::text[], $6::text[], $7::float8[], $8::bool[], $9::float8[], $10::int4[], $11::text[], $12::int4[],
                             $13::text[], $14::bytea[])
          as r (event_id, state, wait_ms, tried, started_ms, duration_ms, outcome, status_code, headers, body)
      ), held as materialized (
        select c.id from connection c
         where c.tenant_id = $1 and c.environment = $2
           and c.user_id in (select e.user_id from result r
                               join event e on e.tenant_id = $1 and e.environment = $2 and e.id = r.event_id)
         order by c.id for key share of c
      ), recorded as (
        update event_delivery d
           set state = r.state, attempts = d.attempts + r.tried::int, lease_token = null,
               attempts_total = greatest(d.attempts_total, d.attempts) + r.tried::int,
               next_attempt_at = now() + r.wait_ms * interval '1 millisecond',
               ended_at = case when r.state <> 'pending' then now() end
          from result r
         where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = $3 and d.event_id = r.event_id
           and d.state = 'sending' and d.lease_token = $4::uuid
           and (select count(*) from held) >= 0 -- makes the update wait for the connections
        returning r.*, d.attempts_total
      ), tried as (
        insert into delivery_attempt (tenant_id, environment, event_id, endpoint_id, n, started_at, duration_ms, outcome, status_code,
                                      response_headers, response_body)
        select $1, $2, r.event_id, $3, r.attempts_total,
               to_timestamp(r.started_ms / 1000), r.duration_ms, r.outcome, r.status_code, r.headers::jsonb, r.body
          from recorded r where r.tried
      ), health as (
        update endpoint e
           set last_success_at = greatest(e.last_success_at, to_timestamp($15::float8 / 1000)),
               failing_since = case when $17::int = 0 and $15::float8 is not null then null
                                    when $15::float8 is not null then to_timestamp($16::float8 / 1000)
                                    else coalesce(e.failing_since, to_timestamp($16::float8 / 1000)) end,
               consecutive_failures = case when $15::float8 is null then e.consecutive_failures else 0 end + $17::int
         where e.tenant_id = $1 and e.environment = $2 and e.id = $3 and exists (select from recorded r where r.tried)
        returning e.failing_since, e.consecutive_failures, e.last_success_at
      )
      select (select count(*)::int from recorded) as recorded, h.failing_since as "failingSince",
             h.consecutive_failures as "consecutiveFailures", h.last_success_at as "lastSuccessAt"
        from (select) as one left join health h on true`,
    values: [
      slice.tenantId,
      slice.environment,
      slice.endpointId,
      slice.leaseToken,
      pgArray(
        'text',
        results.map((r) => r.eventId),
      ),
      pgArray(
        'text',
        results.map((r) => r.state),
      ),
      pgArray(
        'float8',
        results.map((r) => r.waitMs),
      ),
      pgArray(
        'bool',
        attempts.map((a) => a !== undefined),
      ),
      pgArray(
        'float8',
        attempts.map((a) => a?.startedAt),
      ),
      pgArray(
        'int4',
        attempts.map((a) => a && Math.round(a.durationMs)),
      ),
      pgArray(
        'text',
        attempts.map((a) => a?.outcome),
      ),
      pgArray(
        'int4',
        attempts.map((a) => a?.status),
      ),
      pgArray(
        'text',
        attempts.map((a) => a?.responseHeaders && JSON.stringify(a.responseHeaders)),
      ),
      pgArray(
        'bytea',
        attempts.map((a) => a?.responseBody),
      ),
      health.lastSuccessAt ?? null,
      health.firstFailureAt ?? null,
      health.failures,
    ],
  });
  return rows[0] as RecordedSlice;
}
