import type { Scope } from '@tributary/domain';
import { scopeKey } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** To the end of the transaction, nobody else begins a recovery in this environment: so that a count of those that run still holds at the insert. */
export async function lockRecoveries(sql: Sql, scope: Scope): Promise<void> {
  await sql.query({
    name: 'recoveries/lock-recoveries',
    text: `select pg_advisory_xact_lock(hashtextextended('recoveries ' || $1, 0))`,
    values: [scopeKey(scope)],
  });
}
