import type { EndpointRef } from '@tributary/handoffs';
import {
  type Database,
  type RecoveryRow,
  type Sql,
  advanceRecovery,
  claimRecovery,
  endRecovery,
  findBusyEndpoints,
  holdPeople,
  inTransaction,
  lockEvents,
  oweRecovered,
  readRecoverySlice,
  recoveryPace,
} from '@tributary/storage';

/** Slices that one look works, of whichever recoveries are due. */
const SLICES = 20;

/**
 * Works what is due of recoveries, one slice after the other, each in a transaction of its own: what it makes due and the mark behind it
 * stand together or not at all. So a process may be killed anywhere, and the next one neither leaves a delivery out nor owes one twice.
 * @returns endpoints that are owed something now.
 */
export async function recoverDue({ pool }: Pick<Database, 'pool'>, draining: () => boolean): Promise<EndpointRef[]> {
  const owed = new Map<string, EndpointRef>();
  for (let n = 0; n < SLICES && !draining(); n += 1) {
    const worked = await inTransaction(pool, async (client) => {
      const recovery = await claimRecovery(client);
      return recovery && { recovery, endpointIds: await recoverSlice(client, recovery) };
    });
    if (worked === undefined) break;
    const { tenantId, environment } = worked.recovery;
    for (const endpointId of worked.endpointIds)
      owed.set(`${tenantId} ${environment} ${endpointId}`, { tenantId, environment, endpointId });
  }
  return [...owed.values()];
}

/** Call it with the recovery held. People are held before events, as whoever erases does. @returns the endpoint of each delivery. */
async function recoverSlice(sql: Sql, recovery: RecoveryRow): Promise<string[]> {
  const { tenantId, environment, id } = recovery;
  const stay = async (againInMs: number): Promise<string[]> => {
    await advanceRecovery(sql, { tenantId, environment, id, reached: recovery.reached, queued: 0, againInMs });
    return [];
  };
  if (recovery.endpointId !== undefined && recovery.endpointStatus === null) {
    await endRecovery(sql, recovery, id, 'cancelled');
    return [];
  }
  if (recovery.endpointStatus === 'disabled') return stay(recoveryPace.disabledMs);
  const slice = await readRecoverySlice(sql, recovery);
  const busy = await findBusyEndpoints(sql, recovery, [...new Set(slice.endpointIds)], recoveryPace.room);
  if (busy.length > 0) return stay(recoveryPace.everyMs);
  await holdPeople(sql, recovery, slice.userIds);
  await lockEvents(sql, recovery, [...new Set(slice.eventIds)]);
  const owed = await oweRecovered(sql, { tenantId, environment, ...slice, states: recovery.states });
  await advanceRecovery(sql, {
    ...{ tenantId, environment, id, reached: slice.reached, queued: owed.length },
    againInMs: slice.eventIds.length === 0 ? 0 : recoveryPace.everyMs,
  });
  return owed;
}
