import type { Sql } from '../sql.js';
import { type WindowKey, windowKeyIs, windowKeyValues } from './window-key.js';

/** More states than one day or night has, and more parts than a day comes in. */
const MOST = 2_000;
/** What one window may bring into memory. */
const MOST_BYTES = 32 * 1_048_576;

/**
 * What the filed notices of a window carried, in the order in which they came; of more than {@link MOST} or {@link MOST_BYTES} the last.
 * They stand for nine days at least, which is longer than a provider repeats what was not received. None when the newest notice carried
 * nothing: then what the earlier ones carried is old.
 */
export async function loadCarried(sql: Sql, window: WindowKey): Promise<Buffer[]> {
  const { rows } = await sql.query<{ carried: Buffer | null }>({ name: 'windows/load-carried', text, values: windowKeyValues(window) });
  const carried = rows.flatMap((row) => (row.carried === null ? [] : [row.carried]));
  return rows[0]?.carried === null ? [] : carried.reverse();
}

const text = `
  select carried from (
    select n.carried, sum(length(n.carried)) over newest_first as bytes, row_number() over newest_first as place
    from webhook_notice n
    where ${windowKeyIs('n')} and n.status <> 'received'
    window newest_first as (order by n.received_at desc, n.delivery_key desc, n.ordinal desc)
  ) c
  where place <= ${MOST} and (place = 1 or coalesce(bytes, 0) <= ${MOST_BYTES})
  order by place`;
