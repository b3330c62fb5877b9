import type { Sql } from '../sql.js';
import { type WindowKey, windowKeyIs, windowKeyValues } from './window-key.js';

/** More states than one day or night has. */
const MOST = 200;

/**
 * What the filed notices of a window carried, in the order in which they came; of more than {@link MOST} the last. They stand for nine days
 * at least, which is longer than a provider repeats what was not received. None when the newest notice carried nothing: then what the
 * earlier ones carried is old.
 */
export async function loadCarried(sql: Sql, window: WindowKey): Promise<Buffer[]> {
  const { rows } = await sql.query<{ carried: Buffer | null }>({ name: 'windows/load-carried', text, values: windowKeyValues(window) });
  const carried = rows.flatMap((row) => (row.carried === null ? [] : [row.carried]));
  return rows[0]?.carried === null ? [] : carried.reverse();
}

const text = `
  select n.carried from webhook_notice n
  where ${windowKeyIs('n')} and n.status <> 'received'
  order by n.received_at desc, n.delivery_key desc, n.ordinal desc
  limit ${MOST}`;
