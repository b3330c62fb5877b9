import type { Scope } from '@tributary/domain';
import { type Sql, heldStores, readHeldRows, readStoreColumns } from '@tributary/storage';

/** Rows that are read at once; those of series are large. */
const ROWS = 500;
const LARGE_ROWS = 20;
const large = new Set(['series_day', 'webhook_delivery', 'delivery_attempt']);

/**
 * All that we hold of a person, a line for each row: `{"store","row"}`. The last line, `{"store":"end","counts"}`, tells that it is whole.
 * Read slice by slice: what changes meanwhile is seen before or after the change.
 */
export async function* exportPerson(sql: Sql, scope: Scope, userId: string): AsyncGenerator<string> {
  const counts: Record<string, number> = {};
  for (const store of heldStores) {
    const columns = await readStoreColumns(sql, store.table);
    const limit = large.has(store.table) ? LARGE_ROWS : ROWS;
    let count = 0;
    for (let after: readonly (string | null)[] | undefined; ; ) {
      const rows = await readHeldRows(sql, scope, store, columns, { userId, after, limit });
      if (rows.length > 0) yield rows.map(({ row }) => `${JSON.stringify({ store: store.table, row })}\n`).join('');
      count += rows.length;
      if (rows.length < limit) break;
      after = rows.at(-1)?.place;
    }
    counts[store.table] = count;
  }
  yield `${JSON.stringify({ store: 'end', counts })}\n`;
}
