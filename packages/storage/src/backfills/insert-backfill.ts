import type { Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

export interface NewBackfill extends Scope {
  readonly id: string;
  readonly userId: string;
  readonly connectionId: string;
  readonly provider: string;
  readonly cause: 'consent' | 'request';
  /** Civil day, inclusive. */
  readonly from: string;
  /** Civil day, exclusive. */
  readonly to: string;
}

/** One collection of a backfill, as it begins. */
export interface NewBackfillPart {
  readonly collection: string;
  /** The consent lets us read it. Otherwise it is shown as `not_permitted` and costs no call. */
  readonly permitted: boolean;
  /** Civil day, inclusive: no earlier than the provider's history. */
  readonly from: string;
  /** Civil day, exclusive. */
  readonly to: string;
  readonly spanDays: number;
  readonly horizonDays: number | undefined;
}

/**
 * Writes down what is to be read of a connection's past. A backfill of the same id gets the parts that it lacks. No window is open yet.
 * A second one that runs for a connection is refused by a unique index.
 */
export async function insertBackfill(sql: Sql, backfill: NewBackfill, parts: readonly NewBackfillPart[]): Promise<void> {
  const { tenantId, environment, id, userId, connectionId, provider, cause, from, to } = backfill;
  const column = <K extends keyof NewBackfillPart>(key: K) => parts.map((part) => part[key]);
  await sql.query({
    name: 'backfills/insert-backfill',
    text: `
      with made as (
        insert into backfill (tenant_id, environment, id, user_id, connection_id, provider, cause, from_date, to_date)
        values ($1, $2, $3, $4, $5, $6, $7, $8::date, $9::date)
        on conflict (tenant_id, environment, id) do update set check_at = clock_timestamp(),
          from_date = least(backfill.from_date, excluded.from_date), to_date = greatest(backfill.to_date, excluded.to_date)
      )
      insert into backfill_part as p (tenant_id, environment, backfill_id, connection_id, collection, state, from_date, to_date, reached,
        span_days, horizon_days)
      select $1, $2, $3, $5, n.collection,
        case when not n.permitted then 'not_permitted' when n.from_date::date >= n.to_date::date then 'done' else 'running' end,
        least(n.from_date::date, n.to_date::date), n.to_date::date, n.to_date::date, n.span_days, n.horizon_days
      from unnest($10::text[], $11::bool[], $12::text[], $13::text[], $14::int4[], $15::int4[])
        as n (collection, permitted, from_date, to_date, span_days, horizon_days)
      on conflict (tenant_id, environment, backfill_id, collection) do update set
        state = excluded.state, from_date = excluded.from_date, to_date = excluded.to_date, reached = excluded.reached
      where p.state = 'not_permitted' and excluded.state = 'running'`,
    values: [
      tenantId,
      environment,
      id,
      userId,
      connectionId,
      provider,
      cause,
      from,
      to,
      pgArray('text', column('collection')),
      pgArray('bool', column('permitted')),
      pgArray('text', column('from')),
      pgArray('text', column('to')),
      pgArray('int4', column('spanDays')),
      pgArray('int4', column('horizonDays')),
    ],
  });
}
