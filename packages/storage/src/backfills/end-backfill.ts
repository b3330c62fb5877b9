import type { Scope } from '@tributary/domain';
import type { Sql } from '../sql.js';

/**
 * Ends a running backfill: what it still had to read is not read. Windows that nothing else asked for go; one that is being read at this
 * moment is written and moves no mark. @returns false when it had ended before.
 */
export async function endBackfill(
  sql: Sql,
  { tenantId, environment }: Scope,
  id: string,
  state: 'completed' | 'incomplete' | 'cancelled',
): Promise<boolean> {
  const { rows } = await sql.query<{ ended: boolean }>({
    name: 'backfills/end-backfill',
    text: `
      with person as materialized (
        -- An erasure waits for us, or came first and left nothing to tell of.
        select id from connection
        where tenant_id = $1 and environment = $2
          and id = (select connection_id from backfill where tenant_id = $1 and environment = $2 and id = $3)
        for key share
      ), open as materialized (
        -- Windows before the backfill, as whoever settles a window locks them.
        select w.window_start from fetch_window w join person c on c.id = w.connection_id
        where w.tenant_id = $1 and w.environment = $2 and w.backfill_id = $3
        order by w.collection, w.window_start
        for update of w
      ), ended as (
        update backfill set state = $4, ended_at = clock_timestamp(), check_at = null
        where tenant_id = $1 and environment = $2 and id = $3 and state = 'running' and exists (select from person)
          and (select count(*) from open) >= 0
        returning connection_id
      ), stopped as (
        update backfill_part p set state = 'cancelled', open_from = null, open_to = null
        from ended e
        where p.tenant_id = $1 and p.environment = $2 and p.backfill_id = $3 and p.state = 'running'
        returning 1
      ), gone as (
        delete from fetch_window w using ended e
        where w.tenant_id = $1 and w.environment = $2 and w.connection_id = e.connection_id and w.backfill_id = $3
          and w.notices = 0 and w.state in ('waiting', 'parked')
      ), freed as (
        update fetch_window w set backfill_id = null from ended e
        where w.tenant_id = $1 and w.environment = $2 and w.connection_id = e.connection_id and w.backfill_id = $3
          and not (w.notices = 0 and w.state in ('waiting', 'parked'))
      )
      select exists (select from ended) as ended`,
    values: [tenantId, environment, id, state],
  });
  return rows[0]?.ended === true;
}
