import type { Scope } from '@tributary/domain';
import { newId } from '@tributary/service-shell';
import { type NewBackfillPart, type Sql, findRunningBackfill, insertBackfill, openBackfillWindows } from '@tributary/storage';

export interface BackfillWish extends Scope {
  readonly userId: string;
  readonly connectionId: string;
  readonly provider: string;
  readonly cause: 'consent' | 'request';
  /** Civil days, `to` exclusive. */
  readonly from: string;
  readonly to: string;
  readonly parts: readonly NewBackfillPart[];
}

/**
 * Begins to read a connection's past; one that runs gets the collections that it lacks. In a transaction that holds the connection.
 * @returns its id, and the lanes that have work now
 */
export async function beginBackfill(sql: Sql, wish: BackfillWish): Promise<{ id: string; lanes: readonly number[] }> {
  const id = (await findRunningBackfill(sql, wish, wish.connectionId)) ?? newId('bf');
  await insertBackfill(sql, { ...wish, id }, wish.parts);
  return { id, lanes: (await openBackfillWindows(sql, wish, id)) ?? [] };
}
