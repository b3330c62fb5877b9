import type { Sql } from '../sql.js';
import { recoveryOf } from './recovery-of.js';
import type { RecoveryRow } from './recovery.js';
import { type ShownRecovery, shownRecovery } from './shown-recovery.js';

/**
 * The recovery whose slice has been due the longest, held to the end of the transaction: nobody else works it meanwhile, and a process
 * that dies gives it back at once, as it was. Those that others hold are passed over.
 */
export async function claimRecovery(sql: Sql): Promise<RecoveryRow | undefined> {
  const { rows } = await sql.query<ShownRecovery<RecoveryRow>>({
    name: 'recoveries/claim-recovery',
    text: `
      select ${shownRecovery} from recovery r where r.slice_at <= clock_timestamp()
      order by r.slice_at limit 1
      for no key update of r skip locked`,
    values: [],
  });
  return rows[0] && recoveryOf(rows[0]);
}
