import type { Sql } from '../sql.js';
import { type WindowKey, windowKeyIs, windowKeyValues } from '../windows/window-key.js';

/** How a window of a backfill ended. */
export type WindowEnd =
  /** All that the provider showed of it is written. */
  | { readonly is: 'read'; readonly records: number }
  /** It was given up, or only a part of it could be read; a dead letter says so. */
  | { readonly is: 'failed'; readonly records: number }
  /** The consent does not cover the collection: nothing more of it is asked for. */
  | { readonly is: 'not-permitted' };

/** After so many windows in a row that could not be read, older ones are not tried: it is not the day that is at fault. */
export const FAILURES_IN_ROW = 3;

/**
 * Moves the mark of a collection past a window, in the transaction that ends the window and after the statement that does. A window
 * that nothing but the backfill asked for goes; another one stays and belongs to the backfill no more. Does nothing for a window that
 * is not the open one of a running backfill.
 * @returns whether the mark moved or the collection ended.
 */
export async function advanceBackfill(sql: Sql, window: WindowKey, backfillId: string, end: WindowEnd): Promise<boolean> {
  const { rows } = await sql.query<{ moved: boolean }>({
    name: 'backfills/advance-backfill',
    text,
    values: [...windowKeyValues(window), backfillId, end.is, end.is === 'not-permitted' ? 0 : end.records, FAILURES_IN_ROW],
  });
  return rows[0]?.moved === true;
}

const text = `
  with running as materialized (
    select id from backfill where tenant_id = $1 and environment = $2 and id = $8 and state = 'running' for update
  ), moved as (
    update backfill_part p set
      reached = case $9 when 'not-permitted' then p.reached else p.open_from end,
      open_from = null, open_to = null,
      windows_done = p.windows_done + ($9 = 'read')::integer,
      windows_failed = p.windows_failed + ($9 = 'failed')::integer,
      days_failed = p.days_failed + case $9 when 'failed' then p.open_to - p.open_from else 0 end,
      failures_in_row = case $9 when 'failed' then p.failures_in_row + 1 else 0 end,
      records = p.records + $10::bigint,
      state = case
        when $9 = 'not-permitted' then 'not_permitted'
        when p.open_from <= p.from_date then 'done'
        when $9 = 'failed' and p.failures_in_row + 1 >= $11::integer then 'failed'
        else 'running' end
    from running r
    where p.tenant_id = $1 and p.environment = $2 and p.backfill_id = $8 and p.connection_id = $3 and p.collection = $4
      and p.state = 'running' and $5 = 'days'
      and to_char(p.open_from, 'YYYY-MM-DD') = $6 and to_char(p.open_to, 'YYYY-MM-DD') = $7
    returning 1
  ), gone as (
    delete from fetch_window w
    where ${windowKeyIs('w')} and w.backfill_id = $8 and w.notices = 0 and (w.state = 'settled' or $9 = 'not-permitted')
  ), freed as (
    update fetch_window w set backfill_id = null
    where ${windowKeyIs('w')} and w.backfill_id = $8 and not (w.notices = 0 and (w.state = 'settled' or $9 = 'not-permitted'))
  )
  select exists (select from moved) as moved`;
