import { eventData } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import {
  type ClaimedWindow,
  type HeldTokens,
  awaitTokenRefresh,
  drawRevisions,
  endIsTold,
  forgetGrant,
  inTransaction,
  insertEvents,
  lockConnectionTokens,
  parkConnectionWindows,
  requireReauth,
} from '@tributary/storage';
import type { WorkerContext } from './worker-context.js';

export type GrantEnd =
  /** The connection needs a new consent, its windows are parked, and customers are told. */
  | { readonly is: 'ended'; readonly status: 'revoked' | 'reauth_required'; readonly endpoints: readonly string[] }
  /** The token that was refused is no longer the connection's: whoever stored the new one knows better. */
  | { readonly is: 'superseded' }
  /** The connection is not active any more, or not there: somebody else said so before. */
  | { readonly is: 'over' };

/**
 * The provider refused a token. Whether that ends the grant is judged by what is stored now, under the connection's lock: a token that
 * was replaced meanwhile was rightly refused. What a notice says of the grant proves nothing, but with the provider's own refusal it says
 * why: the person has left, and the tokens are forgotten. Without it they may still be there, and are asked to consent again.
 */
export async function endGrant(
  { pool }: Pick<WorkerContext, 'pool'>,
  window: ClaimedWindow,
  refused: (tokens: HeldTokens) => boolean,
): Promise<GrantEnd> {
  await awaitTokenRefresh(pool, window, window.userId);
  return inTransaction(pool, async (client): Promise<GrantEnd> => {
    const revision = await drawRevisions(client, window, 1);
    const tokens = await lockConnectionTokens(client, window, window.connectionId);
    if (tokens?.status !== 'active') return { is: 'over' };
    if (!refused(tokens)) return { is: 'superseded' };
    const hasLeft = await endIsTold(client, window, window.connectionId);
    await (hasLeft ? forgetGrant : requireReauth)(client, window, window.connectionId);
    await parkConnectionWindows(client, window, window.connectionId);
    const type = hasLeft ? 'connection.revoked' : 'connection.reauthRequired';
    const data = eventData(type, {
      user: { id: window.userId, externalId: window.externalId },
      connectionId: window.connectionId,
      provider: window.provider,
      reason: hasLeft ? 'user_revoked' : 'token_refused',
      revision,
    });
    const { userId, provider } = window;
    const event = { id: newId('evt'), type, revision, userId, provider, metric: undefined, data } as const;
    const status = hasLeft ? 'revoked' : 'reauth_required';
    return { is: 'ended', status, endpoints: await insertEvents(client, window, [event]) };
  });
}
