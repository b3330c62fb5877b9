import { newId } from '@tributary/service-shell';
import {
  type ClaimedWindow,
  type Letter,
  type Sql,
  type WindowEnd,
  advanceBackfill,
  buryWindow,
  holdWindow,
  inTransaction,
  markSwept,
  openBackfillWindows,
} from '@tributary/storage';
import type { WorkerContext } from './worker-context.js';

/** As in `fetch_window.priority`. */
const SWEEP = 2;

/**
 * What else stands in the transaction that ends a window: the mark of the backfill that waits for it moves and the next window opens, or
 * the sweep is shown as done. After the statement that settles or buries. Live windows cost nothing here.
 */
export async function noteEnd(sql: Sql, window: ClaimedWindow, end: WindowEnd): Promise<void> {
  if (window.priority === SWEEP && end.is === 'read') await markSwept(sql, window);
  if (window.backfillId === undefined) return;
  if (await advanceBackfill(sql, window, window.backfillId, end)) await openBackfillWindows(sql, window, window.backfillId);
}

/**
 * The window could not be refreshed: its dead letter opens. A backfill goes on past it; where the consent does not cover the collection,
 * it asks for nothing more of it, and nobody looks at a wrong day for that.
 */
export async function giveUp(
  { pool, providers }: Pick<WorkerContext, 'pool' | 'providers'>,
  window: ClaimedWindow,
  letter: Omit<Letter, 'id' | 'normalizerVersion'>,
): Promise<void> {
  const whole = { ...letter, id: newId('dl'), normalizerVersion: providers.get(window.provider)?.normalizerVersion ?? 1 };
  if (window.backfillId === undefined) {
    await buryWindow(pool, window, whole);
    return;
  }
  await inTransaction(pool, async (client) => {
    if (!(await holdWindow(client, window))) return;
    if (letter.code === 'forbidden') {
      await noteEnd(client, window, { is: 'not-permitted' });
      await buryWindow(client, window, whole);
      return;
    }
    await buryWindow(client, window, whole);
    await noteEnd(client, window, { is: 'failed', records: 0 });
  });
}
