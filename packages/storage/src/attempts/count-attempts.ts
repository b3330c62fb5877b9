import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import type { StatusClass } from './search-attempts.js';

export interface AttemptsOf extends Scope {
  readonly endpointId: string;
  readonly slot: 'hour' | 'day';
  /** From `from` on and before `to`. */
  readonly from: Date;
  readonly to: Date;
}

/** Of one outcome and status class in one slot. */
export interface AttemptCount {
  /** Start of the hour or day, UTC. */
  readonly slot: Date;
  readonly outcome: string;
  readonly statusClass: StatusClass;
  readonly count: number;
}

/** Milliseconds from the start of an attempt to its end, of all attempts of a slot; `slot` null: of all in the window. */
export interface AttemptDurations {
  readonly slot: Date | null;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Counts one endpoint's attempts by hour or day. Slots without an attempt have no row. */
export async function countAttempts(
  sql: Sql,
  { tenantId, environment, endpointId, slot, from, to }: AttemptsOf,
): Promise<{ counts: AttemptCount[]; durations: AttemptDurations[] }> {
  const { rows } = await sql.query<(AttemptCount & { kind: 'count' }) | (AttemptDurations & { kind: 'durations' })>({
    name: 'attempts/count',
    text: `
      with attempt as (
        select date_trunc($4, started_at, 'UTC') as slot, outcome, duration_ms,
          case when status_code is null then 'none' else status_code / 100 || 'xx' end as class
        from delivery_attempt
        where tenant_id = $1 and environment = $2 and endpoint_id = $3 and started_at >= $5 and started_at < $6
      )
      select case when grouping(outcome) = 0 then 'count' else 'durations' end as kind, slot, outcome, class as "statusClass",
        count(*)::int4 as count,
        percentile_disc(0.5) within group (order by duration_ms) as "p50Ms",
        percentile_disc(0.95) within group (order by duration_ms) as "p95Ms"
      from attempt
      group by grouping sets ((slot, outcome, class), (slot), ())
      having count(*) > 0
      order by slot nulls first, outcome, class`,
    values: [tenantId, environment, endpointId, slot, from, to],
  });
  return {
    counts: rows
      .filter((row) => row.kind === 'count')
      .map(({ slot: of, outcome, statusClass, count }) => ({ slot: of, outcome, statusClass, count })),
    durations: rows.filter((row) => row.kind === 'durations').map(({ slot: of, p50Ms, p95Ms }) => ({ slot: of, p50Ms, p95Ms })),
  };
}
