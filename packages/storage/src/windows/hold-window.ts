import type { Sql } from '../sql.js';
import { type LeasedWindow, windowKeyIs, windowKeyValues } from './window-key.js';

/**
 * Inside the applying transaction: takes the connection (for key share, so that an erasure waits for us or we see that it came first)
 * and the window (for update), and says whether what was read may still be written: the connection stands, and the lease is ours.
 */
export async function holdWindow(sql: Sql, window: LeasedWindow): Promise<boolean> {
  const { rows } = await sql.query({
    name: 'windows/hold-window',
    text: `
      with person as materialized (
        select 1 from connection
        where tenant_id = $1 and environment = $2 and id = $3 and status in ('active', 'reauth_required')
        for key share
      )
      select 1 from fetch_window w
      where ${windowKeyIs('w')} and w.lease_token = $8 and exists (select 1 from person)
      for update`,
    values: [...windowKeyValues(window), window.leaseToken],
  });
  return rows.length > 0;
}
