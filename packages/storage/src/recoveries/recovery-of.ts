import type { RecoveryRow } from './recovery.js';
import type { ShownRecovery } from './shown-recovery.js';

/** The row with what is absent left undefined. */
export function recoveryOf(row: ShownRecovery<RecoveryRow>): RecoveryRow {
  return {
    ...row,
    endpointId: row.endpointId ?? undefined,
    eventTypes: row.eventTypes ?? undefined,
    userIds: row.userIds ?? undefined,
    providers: row.providers ?? undefined,
    metrics: row.metrics ?? undefined,
  };
}
