import { Problem } from '@tributary/domain';
import { eventData } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import {
  announceEvent,
  awaitTokenRefresh,
  deleteWindows,
  drawRevisions,
  endConnection,
  findConnection,
  lockConnection,
} from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import type { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';
import { oweRevocation } from './owe-revocation.js';

/** Ends a connection on the customer's word. Doing it twice changes nothing the second time. */
export async function disconnect(context: ApiContext, tickets: IssueTickets, caller: Caller, id: string): Promise<void> {
  const found = await findConnection(context.pool, caller, id);
  if (found === undefined) throw gone();
  if (found.status === 'disconnected') return;
  await awaitTokenRefresh(context.pool, caller, found.userId);
  const endpoints = await recordChange(context, caller, 'connection.disconnect', async (client) => {
    const revision = await drawRevisions(client, caller, 1);
    const held = await lockConnection(client, caller, id);
    if (held === undefined) throw gone();
    if (held.status === 'disconnected') return { target: undefined, result: [] };
    if (held.accessToken !== null) {
      const accessToken = context.keys.open(held.accessToken, `connection:${id}:access`);
      await oweRevocation(context, client, caller, {
        providerAppId: held.providerAppId,
        subjectId: held.subjectId,
        connectionId: id,
        accessToken,
      });
    }
    await endConnection(client, caller, id);
    await deleteWindows(client, caller, id);
    const told = await announceEvent(client, {
      tenantId: caller.tenantId,
      environment: caller.environment,
      id: newId('evt'),
      type: 'connection.revoked',
      revision,
      userId: held.userId,
      provider: held.provider,
      data: eventData('connection.revoked', {
        user: { id: held.userId, externalId: held.externalId },
        connectionId: id,
        provider: held.provider,
        reason: 'disconnected',
        revision,
      }),
    });
    return { target: id, result: told };
  });
  await tickets.deliver(caller, endpoints);
}

function gone(): Problem {
  return new Problem('not_found', 'There is no connection of that id.');
}
