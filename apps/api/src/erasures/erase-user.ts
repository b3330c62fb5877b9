import { Problem, type Scope } from '@tributary/domain';
import { eventData } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import {
  type LockedGrant,
  type Sql,
  announceEvent,
  awaitTokenRefresh,
  drawRevisions,
  findTakers,
  findUser,
  holdEventsOfPerson,
  holdOwedOfPerson,
  insertErasure,
  lockGrants,
  lockPerson,
  purgeTable,
  purges,
  scrubToldErasures,
  subjectIsShared,
  takeLeasesAway,
  writeTombstones,
} from '@tributary/storage';
import type { z } from 'zod';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import { oweRevocation } from '../connections/owe-revocation.js';
import type { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { awaitRequests } from './await-requests.js';
import { type receipt, receiptOf } from './erasure.js';

/**
 * Erases a person in one transaction: tombstones, obligations to end the grants, every store of the registry, the receipt, and the
 * event that tells the customer. Whoever writes about a connection holds it first, so nothing can be written behind the purge.
 * What is being sent of the person at that moment is told to nobody else, and returns once it is over: afterwards nothing is sent but that event.
 * @throws Problem `not_found` when there is no such user (any more).
 */
export async function eraseUser(
  context: ApiContext,
  tickets: IssueTickets,
  caller: Caller,
  userId: string,
): Promise<z.infer<typeof receipt>> {
  if ((await findUser(context.pool, caller, userId)) === undefined) throw gone();
  await awaitTokenRefresh(context.pool, caller, userId);
  const { row, endpoints, sending } = await recordChange(context, caller, 'user.erase', async (client) => {
    const revision = await drawRevisions(client, caller, 1);
    const person = await lockPerson(client, caller, userId);
    if (person === undefined) throw gone();
    const grants = await lockGrants(client, caller, userId);
    const counts: Record<string, number> = {
      subject_tombstone: await markErased(context, client, caller, grants),
      upstream_revocation: await endGrants(context, client, caller, grants),
    };
    // The purge takes the person out of the lists that endpoints are filtered by.
    const takers = await findTakers(client, { tenantId: caller.tenantId, environment: caller.environment, type: 'user.erased', userId });
    await holdEventsOfPerson(client, caller, userId);
    await holdOwedOfPerson(client, caller, userId);
    const sending = await takeLeasesAway(client, caller, userId);
    for (const purge of purges) counts[purge.name] = await purgeTable(client, caller, userId, purge);
    const { tenantId, environment } = caller;
    const made = await insertErasure(client, { tenantId, environment, id: newId('era'), revision, counts });
    const id = newId('evt');
    const told = await announceEvent(client, {
      tenantId,
      environment,
      id,
      type: 'user.erased',
      revision,
      userId: null,
      endpointIds: takers,
      data: eventData('user.erased', {
        user: { id: userId, externalId: person.externalId },
        erasureId: made.id,
        requestedAt: made.requestedAt.toISOString(),
        completedAt: (made.completedAt ?? made.requestedAt).toISOString(),
        revision,
      }),
    });
    // With no endpoint to tell, nobody would ever scrub it.
    if (told.length === 0) await scrubToldErasures(client, caller, [id]);
    return { target: made.id, result: { row: made, endpoints: told, sending } };
  });
  await tickets.deliver(caller, endpoints);
  await awaitRequests(context, caller, sending);
  return receiptOf(row);
}

function gone(): Problem {
  return new Problem('not_found', 'There is no user of that id.');
}

/** A subject that another user still shares gets no tombstone: it would stop that user's data, and unknown subjects leave no row anyway. */
async function markErased({ keys }: ApiContext, sql: Sql, scope: Scope, grants: readonly LockedGrant[]): Promise<number> {
  const tombstones = [];
  for (const { providerAppId, subjectId, connectionId } of grants) {
    if (await subjectIsShared(sql, scope, { providerAppId, subjectId, exceptConnectionId: connectionId })) continue;
    tombstones.push({ providerAppId, subjectHash: keys.subjectHashes(providerAppId, subjectId)[0] as Buffer });
  }
  return tombstones.length === 0 ? 0 : writeTombstones(sql, scope, tombstones);
}

async function endGrants(context: ApiContext, sql: Sql, scope: Scope, grants: readonly LockedGrant[]): Promise<number> {
  let owed = 0;
  for (const { connectionId, providerAppId, subjectId, accessToken } of grants) {
    if (accessToken === null) continue;
    const token = context.keys.open(accessToken, `connection:${connectionId}:access`);
    if (await oweRevocation(context, sql, scope, { providerAppId, subjectId, connectionId, accessToken: token })) owed += 1;
  }
  return owed;
}
