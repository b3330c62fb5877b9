import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { recoveredDeliveries, recoveredValues } from './recovered-deliveries.js';
import type { RecoveryReach, RecoveryWish } from './recovery.js';

/** How many deliveries a recovery would make due if it ran now. Writes nothing. */
export async function countRecovered(sql: Sql, scope: Scope, reach: RecoveryReach, wish: RecoveryWish): Promise<number> {
  const { rows } = await sql.query<{ n: number }>({
    name: 'recoveries/count-recovered',
    text: `with ${recoveredDeliveries} select count(*) as n from matched`,
    values: recoveredValues(scope, reach, wish),
  });
  return Number(rows[0]?.n ?? 0);
}
