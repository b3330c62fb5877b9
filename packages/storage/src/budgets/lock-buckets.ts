import type { Bucket, Scope } from '@tributary/domain';
import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';

/** Whose buckets they are: a provider app's. */
export interface BudgetOwner extends Scope {
  readonly providerAppId: string;
}

/** One bucket as it stands in the table. */
export interface StoredBucket {
  /** Undefined: of the app as a whole. */
  readonly connectionId: string | undefined;
  readonly name: string;
  readonly bucket: Bucket;
  /** An answer told the limit. */
  readonly learned: boolean;
}

export interface StoredBuckets {
  /** Epoch milliseconds by the database's clock, which all processes share. */
  readonly now: number;
  readonly buckets: readonly StoredBucket[];
}

interface Row {
  connection_id: string;
  bucket: string;
  capacity: number;
  tokens: number;
  per_s: number | null;
  window_ms: number | null;
  resets_at: number | null;
  as_of: number;
  paused_until: number | null;
  reserved: number;
  learned: boolean;
  now: number;
}

/**
 * Takes the buckets of an app and of some of its connections until the transaction ends, always in the order of the key, so that two who
 * want several wait for each other and never in a circle.
 */
export async function lockBuckets(sql: Sql, owner: BudgetOwner, connectionIds: readonly string[]): Promise<StoredBuckets> {
  const { rows } = await sql.query<Row>({
    name: 'budgets/lock-buckets',
    text,
    values: [owner.tenantId, owner.environment, owner.providerAppId, pgArray('text', ['', ...connectionIds])],
  });
  return {
    // The last row was locked last: what is read of the clock before that may lie before what another process just wrote.
    now: Math.max(...rows.map((row) => row.now)),
    buckets: rows.map((row) => ({
      connectionId: row.connection_id === '' ? undefined : row.connection_id,
      name: row.bucket,
      learned: row.learned,
      bucket: {
        capacity: row.capacity,
        tokens: row.tokens,
        refill:
          row.per_s === null
            ? { is: 'window', lengthMs: row.window_ms ?? 0, resetsAt: row.resets_at ?? 0 }
            : { is: 'steady', perS: row.per_s },
        at: row.as_of,
        pausedUntil: row.paused_until ?? undefined,
        reserved: row.reserved,
      },
    })),
  };
}

const ms = (time: string) => `(extract(epoch from ${time}) * 1000)::double precision`;

const text = `
  with locked as materialized (
    select * from rate_budget
    where tenant_id = $1 and environment = $2 and provider_app_id = $3 and connection_id = any($4::text[])
    order by connection_id, bucket
    for no key update
  )
  select connection_id, bucket, capacity, tokens, per_s, window_ms, ${ms('resets_at')} as resets_at, ${ms('as_of')} as as_of,
    ${ms('paused_until')} as paused_until, reserved, learned, ${ms('clock_timestamp()')} as now
  from locked`;
