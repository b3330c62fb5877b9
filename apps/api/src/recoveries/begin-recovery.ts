import { Problem } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import {
  type RecoveryWish,
  type Sql,
  countRecovered,
  countRunningRecoveries,
  findEndpoint,
  findReach,
  holdNamedUsers,
  insertRecovery,
  lockRecoveries,
  recoveryPace,
} from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { recordChange } from '../record-change.js';

export interface Begun {
  /** Deliveries that match now. */
  readonly total: number;
  /** Undefined: it was only counted. */
  readonly id: string | undefined;
}

/**
 * Counts what matches and, unless that is all that is asked for, writes it down as a recovery, which the sending process works.
 * @throws Problem `not_found` without such an endpoint, `endpoint_disabled`, `validation_failed` for an empty span or somebody unknown, `too_many_requests`
 * while as many run as may.
 */
export async function beginRecovery(context: ApiContext, caller: Caller, wish: RecoveryWish, dryRun: boolean): Promise<Begun> {
  if (wish.from.getTime() >= wish.to.getTime())
    throw new Problem('validation_failed', 'One field is not usable; see "faults".', [
      { path: wish.kind === 'replay' ? 'from' : 'since', message: 'is not before the end of the span' },
    ]);
  await checkEndpoint(context, caller, wish.endpointId);
  if (dryRun) await holdPeople(context.pool, caller, wish.userIds);
  const reach = await findReach(context.pool, caller, wish.from);
  const total = await countRecovered(context.pool, caller, reach, wish);
  if (dryRun) return { total, id: undefined };
  const id = newId('rcv');
  const { tenantId, environment } = caller;
  await recordChange(context, caller, 'recovery.create', async (client) => {
    // Whoever is erased goes out of the list that is written now, or is not in it.
    await holdPeople(client, caller, wish.userIds);
    await lockRecoveries(client, caller);
    if ((await countRunningRecoveries(client, caller)) >= recoveryPace.atOnce)
      throw new Problem('too_many_requests', `${recoveryPace.atOnce} recoveries are running. Wait until one has ended, or cancel one.`);
    await insertRecovery(client, { ...wish, ...reach, tenantId, environment, id, total });
    return { target: id, result: undefined };
  });
  return { total, id };
}

async function holdPeople(sql: Sql, caller: Caller, userIds: readonly string[] = []): Promise<void> {
  const known = await holdNamedUsers(sql, caller, userIds);
  const faults = userIds.flatMap((id, at) => (known.has(id) ? [] : [{ path: `userIds.${at}`, message: 'is no user of this environment' }]));
  if (faults.length > 0) throw new Problem('validation_failed', 'Somebody is not known here; see "faults".', faults);
}

async function checkEndpoint({ pool }: ApiContext, caller: Caller, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const endpoint = await findEndpoint(pool, caller, id);
  if (endpoint === undefined) throw new Problem('not_found', 'There is no endpoint of that id.');
  if (endpoint.status === 'disabled')
    throw new Problem('endpoint_disabled', 'The endpoint is disabled. Enable it first: PATCH with {"status":"enabled"}.');
}
