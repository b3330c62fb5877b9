import type { Sql } from '../sql.js';
import { type WindowKey, windowKeyIs, windowKeyValues } from './window-key.js';

/** Whether any notice that is still kept said that this object was deleted, be it older than others. */
export async function deletionWasTold(sql: Sql, window: WindowKey): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'windows/deletion-was-told',
    text: `
      select 1 from webhook_notice n
      where ${windowKeyIs('n')} and n.status <> 'received' and n.kind = 'deleted'
      limit 1`,
    values: windowKeyValues(window),
  });
  return (rowCount ?? 0) > 0;
}
