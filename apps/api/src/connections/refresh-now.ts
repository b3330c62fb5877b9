import { Problem, addDays, civilDayAt, grantCollection } from '@tributary/domain';
import { sweptCollections } from '@tributary/providers';
import { findConnection, findHistorySettings, noteRefresh, openRecentWindows } from '@tributary/storage';
import type { ApiContext } from '../api-context.js';
import type { Caller } from '../auth/caller.js';
import type { IssueTickets } from '../issue-tickets.js';
import { recordChange } from '../record-change.js';

/** One request a minute for each connection: what changed since is told by webhooks, or read by the sweep. */
export const REFRESH_PAUSE_MS = 60_000;

export interface PlannedRefresh {
  readonly collections: readonly string[];
  /** Civil days, `to` exclusive. */
  readonly from: string;
  readonly to: string;
}

/**
 * Reads the last days of a connection again, as many as a sweep does.
 * @returns what is read, or how long to wait until it may be asked for again
 * @throws Problem `not_found`, or `conflict` when there is no grant to read with.
 */
export async function refreshNow(
  context: ApiContext,
  tickets: IssueTickets,
  caller: Caller,
  id: string,
): Promise<PlannedRefresh | { readonly waitMs: number }> {
  const done = await recordChange<{ readonly waitMs: number } | (PlannedRefresh & { readonly lanes: readonly number[] })>(
    context,
    caller,
    'connection.refresh',
    async (client) => {
      const found = await findConnection(client, caller, id);
      if (found === undefined) throw new Problem('not_found', 'There is no connection of that id.');
      const provider = context.providers.get(found.provider);
      if (found.status !== 'active' || provider === undefined) {
        throw new Problem(
          'conflict',
          `The connection is ${found.status}: there is no grant to read with. Send the person a link of POST /v1/connections/${id}/reauth-link.`,
        );
      }
      const { waitMs } = await noteRefresh(client, caller, id, REFRESH_PAUSE_MS);
      if (waitMs > 0) return { target: undefined, result: { waitMs } };
      const { sweepDays } = await findHistorySettings(client, caller);
      const today = civilDayAt(context.now(), 0);
      const collections = sweptCollections(provider, found.scopes).filter((name) => name !== grantCollection);
      // Somewhere it is tomorrow already.
      const span = { from: addDays(today, -sweepDays), to: addDays(today, 2) };
      const lanes = await openRecentWindows(
        client,
        caller,
        id,
        collections.map((collection) => ({ collection, ...span })),
      );
      return { target: id, result: { collections, ...span, lanes } };
    },
  );
  if ('waitMs' in done) return done;
  const { lanes, ...planned } = done;
  await tickets.fetch(caller, lanes);
  return planned;
}
