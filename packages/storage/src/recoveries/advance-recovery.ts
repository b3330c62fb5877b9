import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

export interface RecoveryStep extends Scope {
  readonly id: string;
  readonly reached: number;
  /** Deliveries made due by this slice. */
  readonly queued: number;
  readonly againInMs: number;
}

/** Moves the mark, in the transaction that owes what is behind it. At the end of its reach the recovery is completed. */
export async function advanceRecovery(sql: Sql, step: RecoveryStep): Promise<void> {
  await sql.query({
    name: 'recoveries/advance-recovery',
    text: `
      update recovery set reached = $4::int8, queued = queued + $5::int8,
        state = case when $4::int8 >= to_revision then 'completed' else state end,
        ended_at = case when $4::int8 >= to_revision then clock_timestamp() end,
        slice_at = case when $4::int8 < to_revision then clock_timestamp() + $6::int8 * interval '1 millisecond' end
      where tenant_id = $1 and environment = $2 and id = $3 and state = 'running'`,
    values: [step.tenantId, step.environment, step.id, step.reached, step.queued, step.againInMs],
  });
}
