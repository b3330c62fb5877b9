import { pgArray } from '../pg-array.js';
import type { Sql } from '../sql.js';
import type { BudgetOwner, StoredBucket } from './lock-buckets.js';

/** Writes buckets back that this transaction has locked. */
export async function saveBuckets(sql: Sql, owner: BudgetOwner, buckets: readonly StoredBucket[]): Promise<void> {
  const numbers = (of: (stored: StoredBucket) => number | undefined) => pgArray('float8', buckets.map(of));
  await sql.query({
    name: 'budgets/save-buckets',
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
      numbers(({ bucket }) => bucket.capacity),
      numbers(({ bucket }) => bucket.tokens),
      numbers(({ bucket: { refill } }) => (refill.is === 'steady' ? refill.perS : undefined)),
      numbers(({ bucket: { refill } }) => (refill.is === 'window' ? refill.lengthMs : undefined)),
      numbers(({ bucket: { refill } }) => (refill.is === 'window' ? refill.resetsAt : undefined)),
      numbers(({ bucket }) => bucket.at),
      numbers(({ bucket }) => bucket.pausedUntil),
      numbers(({ bucket }) => bucket.reserved),
      pgArray(
        'bool',
        buckets.map(({ learned }) => learned),
      ),
    ],
  });
}

const text = `
  update rate_budget b set capacity = s.capacity, tokens = s.tokens, per_s = s.per_s, window_ms = s.window_ms,
    resets_at = to_timestamp(s.resets_at / 1000), as_of = to_timestamp(s.as_of / 1000), paused_until = to_timestamp(s.paused_until / 1000),
    reserved = s.reserved, learned = s.learned
  from unnest($4::text[], $5::text[], $6::float8[], $7::float8[], $8::float8[], $9::float8[], $10::float8[], $11::float8[], $12::float8[],
    $13::float8[], $14::bool[])
    as s (connection_id, bucket, capacity, tokens, per_s, window_ms, resets_at, as_of, paused_until, reserved, learned)
  where b.tenant_id = $1 and b.environment = $2 and b.provider_app_id = $3 and b.connection_id = s.connection_id and b.bucket = s.bucket`;
