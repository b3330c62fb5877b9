import type { BudgetOwner } from './lock-buckets.js';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** A bucket that is not there yet; it begins full. Windows begin at multiples of their length. */
export interface NewBucket {
  /** Undefined: of the app as a whole. */
  readonly connectionId: string | undefined;
  readonly name: string;
  readonly capacity: number;
  readonly refill: { readonly is: 'steady'; readonly perS: number } | { readonly is: 'window'; readonly lengthMs: number };
  readonly reserved: number;
}

/** Adds those that are not there. One of a connection that is gone, or is being erased, is not added. */
export async function addBuckets(sql: Sql, owner: BudgetOwner, buckets: readonly NewBucket[]): Promise<void> {
  await sql.query({
    name: 'budgets/add-buckets',
    text,
    values: [
      owner.tenantId,
      owner.environment,
      owner.providerAppId,
      pgArray(
        'text',
        buckets.map(({ connectionId }) => connectionId ?? ''),
      ),
      pgArray(
        'text',
        buckets.map(({ name }) => name),
      ),
      pgArray(
        'float8',
        buckets.map(({ capacity }) => capacity),
      ),
      pgArray(
        'float8',
        buckets.map(({ refill }) => (refill.is === 'steady' ? refill.perS : undefined)),
      ),
      pgArray(
        'float8',
        buckets.map(({ refill }) => (refill.is === 'window' ? refill.lengthMs : undefined)),
      ),
      pgArray(
        'float8',
        buckets.map(({ reserved }) => reserved),
      ),
    ],
  });
}

const text = `
  with person as materialized (
    select id from connection
    where tenant_id = $1 and environment = $2 and provider_app_id = $3 and id = any($4::text[])
    order by id for key share
  )
  insert into rate_budget (tenant_id, environment, provider_app_id, connection_id, bucket, capacity, tokens, per_s, window_ms, resets_at, as_of,
    reserved)
  select $1, $2, $3, n.connection_id, n.bucket, n.capacity, n.capacity, n.per_s, n.window_ms,
    to_timestamp((floor(extract(epoch from clock_timestamp()) * 1000 / n.window_ms) + 1) * n.window_ms / 1000), clock_timestamp(), n.reserved
  from unnest($4::text[], $5::text[], $6::float8[], $7::float8[], $8::float8[], $9::float8[])
    as n (connection_id, bucket, capacity, per_s, window_ms, reserved)
  where n.connection_id = '' or n.connection_id in (select id from person)
  order by n.connection_id, n.bucket
  on conflict (tenant_id, environment, provider_app_id, connection_id, bucket) do nothing`;
