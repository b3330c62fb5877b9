import type { Scope } from '@tributary/domain';
import { scopeKey } from '@tributary/domain';
import type { Sql } from '../sql.js';

/** 'trib': one process at a time drops what an environment keeps no longer. Ends with the transaction. */
export async function tryRetentionLock(sql: Sql, scope: Scope): Promise<boolean> {
  const { rows } = await sql.query<{ mine: boolean }>({
    name: 'retention/try-lock',
    text: 'select pg_try_advisory_xact_lock(1953655139, hashtext($1)) as mine',
    values: [scopeKey(scope)],
  });
  return rows[0]?.mine === true;
}
