import { type Scope } from '@tributary/domain';
import { backfillCompleted } from '@tributary/handoffs';
import { newId } from '@tributary/service-shell';
import {
  type BackfillRow,
  claimBackfills,
  drawRevisions,
  endBackfill,
  findBackfill,
  inTransaction,
  insertEvents,
  openBackfillWindows,
} from '@tributary/storage';
import type { WorkerContext } from './worker-context.js';

/** Backfills that one look takes. */
const SLICE = 50;
/** A running backfill is looked at this often even though its windows move it along: one whose window was lost goes on. */
const LOOK_AGAIN_MS = 60_000;

type Status = 'completed' | 'incomplete' | 'cancelled';

/**
 * Ends the backfills that have nothing left to read, each with one event, and those whose connection has ended; gives the others the
 * windows that they lack. @returns endpoints that are owed something now, with whose they are.
 */
export async function tendBackfills({ pool }: Pick<WorkerContext, 'pool'>): Promise<(Scope & { readonly endpointId: string })[]> {
  const owed: (Scope & { readonly endpointId: string })[] = [];
  for (const { tenantId, environment, id } of await claimBackfills(pool, SLICE, LOOK_AGAIN_MS)) {
    const scope = { tenantId, environment };
    const backfill = await findBackfill(pool, scope, id);
    const status = backfill && statusOf(backfill);
    if (status === undefined) await inTransaction(pool, (client) => openBackfillWindows(client, scope, id));
    else owed.push(...(await close(pool, scope, id, status)).map((endpointId) => ({ ...scope, endpointId })));
  }
  return owed;
}

/** How it has ended; undefined: it goes on. */
function statusOf({ connectionStatus, parts }: BackfillRow): Status | undefined {
  if (parts.some(({ state }) => state === 'running'))
    return connectionStatus === 'active' || connectionStatus === 'reauth_required' ? undefined : 'cancelled';
  return parts.every(({ state, windowsFailed }) => (state === 'done' || state === 'not_permitted') && windowsFailed === 0)
    ? 'completed'
    : 'incomplete';
}

function close(pool: WorkerContext['pool'], scope: Scope, id: string, status: Status): Promise<string[]> {
  return inTransaction(pool, async (client) => {
    const revision = await drawRevisions(client, scope, 1);
    if (!(await endBackfill(client, scope, id, status))) return [];
    const ended = await findBackfill(client, scope, id);
    if (ended === undefined) return [];
    const data = backfillCompleted(ended, status, { endedAt: ended.endedAt ?? new Date(0), revision });
    const { userId, provider } = ended;
    return insertEvents(client, scope, [
      { id: newId('evt'), type: 'backfill.completed', revision, userId, provider, metric: undefined, data },
    ]);
  });
}
