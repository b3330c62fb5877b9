import { type EndpointHealth, disabledFrom, failedForLong, failedTooLong } from '@tributary/domain';
import { type EndpointRef, eventData } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import {
  type DisableReason,
  type RecordedSlice,
  announceEvent,
  disableEndpoint,
  drawRevisions,
  inTransaction,
  warnOfEndpoint,
  withholdEvent,
} from '@tributary/storage';
import type { SliceDependencies } from './slice-dependencies.js';

export type Verdict = { readonly is: 'disabled'; readonly reason: DisableReason } | { readonly is: 'warned' };

/**
 * What its failures mean for an endpoint: half way to the end its owner is warned, once; at the end, or when it answered 410, it is disabled.
 * Either is told to the other endpoints, in the transaction that makes it so. Called after failures are on record; if the process dies
 * before this, the next failure brings it here.
 * @param after its health as the failures left it.
 * @param goneAt the address that answered 410; undefined: none did.
 */
export async function judgeEndpoint(
  { pool, clock }: SliceDependencies,
  endpoint: EndpointRef,
  after: RecordedSlice,
  goneAt: string | undefined,
): Promise<Verdict | undefined> {
  const now = clock();
  const health: EndpointHealth = {
    failingSince: after.failingSince?.getTime(),
    consecutiveFailures: after.consecutiveFailures ?? 0,
    lastSuccessAt: after.lastSuccessAt?.getTime(),
  };
  const reason = goneAt !== undefined ? 'answered_410' : failedTooLong(health, now) ? 'failed_too_long' : undefined;
  if (reason === undefined && !failedForLong(health, now)) return undefined;
  return inTransaction(pool, async (client) => {
    const changed =
      reason === undefined ? await warnOfEndpoint(client, endpoint) : await disableEndpoint(client, { ...endpoint, url: goneAt }, reason);
    if (!changed) return undefined;
    const id = newId('evt');
    const revision = await drawRevisions(client, endpoint, 1);
    const told = {
      endpointId: endpoint.endpointId,
      failingSince: instant(health.failingSince),
      consecutiveFailures: health.consecutiveFailures,
      lastSuccessAt: instant(health.lastSuccessAt),
      revision,
    };
    const { tenantId, environment } = endpoint;
    const event = { tenantId, environment, id, revision, userId: null };
    if (reason !== undefined) {
      await announceEvent(client, { ...event, type: 'endpoint.disabled', data: eventData('endpoint.disabled', { ...told, reason }) });
      return { is: 'disabled', reason };
    }
    const from = new Date(disabledFrom(health) ?? now).toISOString();
    await announceEvent(client, {
      ...event,
      type: 'endpoint.failing',
      data: eventData('endpoint.failing', { ...told, disabledFrom: from }),
    });
    await withholdEvent(client, endpoint, id);
    return { is: 'warned' };
  });
}

function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
