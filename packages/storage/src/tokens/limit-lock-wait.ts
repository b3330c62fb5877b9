import type { Sql } from '../sql.js';

/** For the rest of this transaction, a lock that does not come within `ms` is an error (55P03) instead of a longer wait. */
export async function limitLockWait(sql: Sql, ms: number): Promise<void> {
  await sql.query({ name: 'tokens/limit-lock-wait', text: `select set_config('lock_timeout', $1, true)`, values: [`${ms}ms`] });
}
