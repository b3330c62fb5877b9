import type { Sql } from '../sql.js';

/** 'trib', 1: the worker's due-scan. One process scans at a time; the lock ends with the transaction, so also with its process. */
export async function tryScanLock(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ mine: boolean }>({
    name: 'windows/try-scan-lock',
    text: 'select pg_try_advisory_xact_lock(1953655138, 1) as mine',
    values: [],
  });
  return rows[0]?.mine === true;
}
