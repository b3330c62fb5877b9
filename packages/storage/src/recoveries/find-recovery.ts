import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';
import { recoveryOf } from './recovery-of.js';
import type { RecoveryRow } from './recovery.js';
import { type ShownRecovery, shownRecovery } from './shown-recovery.js';

export async function findRecovery(sql: Sql, { tenantId, environment }: Scope, id: string): Promise<RecoveryRow | undefined> {
  const { rows } = await sql.query<ShownRecovery<RecoveryRow>>({
    name: 'recoveries/find-recovery',
    text: `select ${shownRecovery} from recovery r where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
    values: [tenantId, environment, id],
  });
  return rows[0] && recoveryOf(rows[0]);
}
