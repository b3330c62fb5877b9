import type { Sql } from '../sql.js';
import { type LeasedWindow, windowKeyIs, windowKeyValues } from './window-key.js';

/**
 * The window cannot be read while its connection stands as it does: parked until the person consents again; deleted when the
 * connection has ended; due again when it has become active meanwhile. The connection's lock (for share) waits for whoever is
 * changing its status, so that no window stays parked under an active connection.
 */
export async function parkWindow(sql: Sql, window: LeasedWindow): Promise<void> {
  await sql.query({
    name: 'windows/park-window',
    text: `
      with person as materialized (
        select status from connection where tenant_id = $1 and environment = $2 and id = $3 for share
      ), ended as (
        delete from fetch_window w
        where ${windowKeyIs('w')} and w.lease_token = $8
          and not exists (select 1 from person where status in ('active', 'reauth_required'))
      )
      update fetch_window w set lease_token = null, dirty = false, due_at = clock_timestamp(),
        state = case p.status when 'active' then 'waiting' else 'parked' end
      from person p
      where ${windowKeyIs('w')} and w.lease_token = $8 and p.status in ('active', 'reauth_required')`,
    values: [...windowKeyValues(window), window.leaseToken],
  });
}
