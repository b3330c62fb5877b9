import { eventData } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import { announceEvent, drawRevisions, endRest } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import type { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';

/** Also to one that rests after failures: it is probed now. @returns the id of the event. */
export async function sendTest(context: ApiContext, tickets: IssueTickets, caller: Caller, endpointId: string): Promise<string> {
  const id = newId('evt');
  const endpoints = await recordChange(context, caller, 'endpoint.test', async (client) => {
    const revision = await drawRevisions(client, caller, 1);
    const told = await announceEvent(client, {
      tenantId: caller.tenantId,
      environment: caller.environment,
      id,
      type: 'endpoint.test',
      revision,
      userId: null,
      endpointIds: [endpointId],
      data: eventData('endpoint.test', { message: 'This is a test. Nothing has changed.', revision }),
    });
    await endRest(client, caller, endpointId);
    return { target: endpointId, result: told };
  });
  await tickets.deliver(caller, endpoints);
  return id;
}
